// Fibers: every component of the array runs as one, until it waits for a stream. One thread, no locks, the same order
// in every run. If no fiber can go on and the host still waits, the streams are too shallow or wrongly connected: an
// error.
#pragma once

#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace emulation {

struct Fiber {
  std::string name;
  std::function<void()> body;
  std::vector<char> stack;
  ucontext_t context;
  bool (*ready)(void*) = nullptr;  // null: may run
  void* condition      = nullptr;
  bool done            = false;
  std::vector<std::shared_ptr<void>> state;  // of the component, kept between calls
  size_t states = 0;                         // handed out in this call
};

class Fibers {
 public:
  static Fibers& all() {
    static Fibers fibers;
    return fibers;
  }

  void spawn(const std::string& name, std::function<void()> body) {
    std::unique_ptr<Fiber> fiber(new Fiber);
    fiber->name = name;
    fiber->body = std::move(body);
    fiber->stack.resize(128 * 1024);
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp   = fiber->stack.data();
    fiber->context.uc_stack.ss_size = fiber->stack.size();
    fiber->context.uc_link          = nullptr;
    makecontext(&fiber->context, &Fibers::enter, 0);
    fibers_.push_back(std::move(fiber));
  }

  // Runs until `finished`.
  void run(const std::function<bool()>& finished) {
    unsigned idle = 0;
    while (!finished()) {
      const unsigned long before = progress_;
      for (size_t i = 0; i < fibers_.size(); i++) {
        Fiber& fiber = *fibers_[i];
        if (fiber.ready && !fiber.ready(fiber.condition)) continue;
        fiber.ready = nullptr;
        current_    = &fiber;
        swapcontext(&main_, &fiber.context);
        current_ = nullptr;
      }
      for (size_t i = fibers_.size(); i-- > 0;) {
        if (fibers_[i]->done) fibers_.erase(fibers_.begin() + long(i));
      }
      idle = progress_ == before ? idle + 1 : 0;
      if (idle > 100) stuck();
    }
  }

  Fiber& current() { return *current_; }

  // Suspends the running fiber until `condition` holds.
  template <class Condition>
  void wait(Condition condition) {
    if (!condition()) {
      current_->ready     = [](void* c) { return (*static_cast<Condition*>(c))(); };
      current_->condition = &condition;
      leave();
    }
    progress_++;
  }

  // Lets the others run once; is no progress by itself.
  void poll() { leave(); }

  void progress() { progress_++; }

 private:
  static void enter() {
    Fibers& all = Fibers::all();
    Fiber& self = all.current();
    self.body();
    self.done = true;
    self.ready = [](void*) { return false; };
    all.leave();
  }

  void leave() { swapcontext(&current_->context, &main_); }

  void stuck() {
    fprintf(stderr, "no component can go on; waiting:");
    for (auto& fiber : fibers_) fprintf(stderr, " %s", fiber->name.c_str());
    fprintf(stderr, "\n");
    exit(1);
  }

  std::vector<std::unique_ptr<Fiber>> fibers_;
  Fiber* current_ = nullptr;
  ucontext_t main_;
  unsigned long progress_ = 0;
};

// The object of the running component: one for each instance.
template <class State>
State& state() {
  Fiber& fiber = Fibers::all().current();
  if (fiber.states == fiber.state.size()) fiber.state.push_back(std::make_shared<State>());
  return *static_cast<State*>(fiber.state[fiber.states++].get());
}

}  // namespace emulation
