// Stands in for the header of the Intel HLS compiler, as far as the generated components use it: streams with the
// depth that they are declared with, hosts of memory-mapped interfaces, and attributes that mean nothing in C++.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <typeindex>

#include "fiber.hpp"

#define component
#define hls_always_run_component
#define hls_avalon_agent_component
#define hls_avalon_agent_register_argument
#define hls_max_concurrency(n)
#define hls_memory
#define hls_register
#define hls_singlepump
#define hls_simple_dual_port_memory
#define hls_numbanks(n)
#define hls_bankwidth(n)
#define hls_max_replicates(n)

// Several instances of a component run in one program.
#define SPA_STATE(type, name) type& name = emulation::state<type>()
#define SPA_POLL() emulation::Fibers::all().poll()

namespace ihc {

// Options of streams and hosts
template <int N> struct buffer { static constexpr int depth = N; };
template <int N> struct dwidth {};
template <int N> struct awidth {};
template <int N> struct latency {};
template <int N> struct maxburst {};
template <bool B> struct waitrequest {};

// What connects a source to a sink
struct Wire {
  virtual ~Wire() {}
};

template <class T>
struct Fifo : Wire {
  explicit Fifo(size_t d) : depth(d) {}
  size_t depth;
  std::deque<T> queue;
};

// An interface of a component, for the netlist
struct Port {
  virtual ~Port() {}
  virtual bool sink() const = 0;
  virtual std::type_index type() const = 0;
  virtual std::shared_ptr<Wire> wire() { return nullptr; }  // a sink makes the FIFO
  virtual void connect(std::shared_ptr<Wire> wire) = 0;
};

template <class T, class Buffer = buffer<0>>
class stream_in : public Port {
 public:
  T read() {
    fifo();
    emulation::Fibers::all().wait([this] { return !fifo_->queue.empty(); });
    const T value = fifo_->queue.front();
    fifo_->queue.pop_front();
    return value;
  }
  T tryRead(bool& success) {
    success = !fifo().queue.empty();
    if (success) return read();
    emulation::Fibers::all().poll();
    return T();
  }

  bool sink() const override { return true; }
  std::type_index type() const override { return typeid(T); }
  // A stream has room for one value even without a buffer.
  std::shared_ptr<Wire> wire() override { return std::make_shared<Fifo<T>>(Buffer::depth > 0 ? size_t(Buffer::depth) : 1); }
  void connect(std::shared_ptr<Wire> wire) override { fifo_ = std::static_pointer_cast<Fifo<T>>(wire); }

 private:
  Fifo<T>& fifo() {
    if (!fifo_) {
      fprintf(stderr, "%s reads a stream that is not connected\n", emulation::Fibers::all().current().name.c_str());
      exit(1);
    }
    return *fifo_;
  }
  std::shared_ptr<Fifo<T>> fifo_;
};

template <class T>
class stream_out : public Port {
 public:
  void write(const T& value) {
    if (!fifo_) {
      fprintf(stderr, "%s writes a stream that is not connected\n", emulation::Fibers::all().current().name.c_str());
      exit(1);
    }
    emulation::Fibers::all().wait([this] { return fifo_->queue.size() < fifo_->depth; });
    fifo_->queue.push_back(value);
  }

  bool sink() const override { return false; }
  std::type_index type() const override { return typeid(T); }
  void connect(std::shared_ptr<Wire> wire) override { fifo_ = std::static_pointer_cast<Fifo<T>>(wire); }

 private:
  std::shared_ptr<Fifo<T>> fifo_;
};

// A host sees all of the card's memory.
template <class T, class... Options>
class mm_host {
 public:
  explicit mm_host(T* memory) : memory_(memory) {}
  T& operator[](size_t index) { return memory_[index]; }

 private:
  T* memory_;
};

}  // namespace ihc
