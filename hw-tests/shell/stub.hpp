// stub.hpp: behaviour of the stand-in array.
#pragma once

#include <set>

#include "common.hpp"

struct Record {
  uint32_t target, spe, addr, data;
  bool operator==(const Record &o) const {
    return target == o.target && spe == o.spe && addr == o.addr && data == o.data;
  }
};

// What the slots of a run must look like.
struct Plan {
  uint32_t w = 4, h = 2, groups = 1, iterations = 1, burn_in = 0, slot_cycles = 1, gap = 0;
  std::vector<uint32_t> schedule{1};
};

class Stub {
 public:
  // Knobs
  int message_percent = 20;           // an SPE sends a message in a collected slot
  std::vector<uint32_t> drain;        // messages of each SPE in the drain
  uint32_t latency = 40;              // slot to write-back, cycles

  // Results
  std::vector<Record> records;
  std::multiset<uint64_t> sent;
  uint64_t slots = 0;
  uint32_t iterations = 0;
  bool drained = false;

  void begin(const Plan &plan) {
    plan_ = plan;
    sent.clear();
    slots = 0;
    iterations = 0;
    drained = false;
    row_ = group_ = row0_ = colour_ = entry_ = used_ = 0;
    first_ = true;
    stalled_since_ = false;
  }

  void slot(int half_start, int colour, int collect, int first, uint32_t row0, uint32_t base, uint32_t iteration,
            uint32_t entry) {
    const bool start = row_ == 0 && group_ == 0;
    CHECK(half_start == start, "half_start %d at slot %llu", half_start, (unsigned long long)slots);
    CHECK(colour == int(colour_), "colour");
    CHECK(iteration == iterations && iterations < plan_.iterations, "iteration %u, expected %u", iteration, iterations);
    CHECK(collect == (iteration >= plan_.burn_in), "collect");
    CHECK(first == (iteration == plan_.burn_in), "first");
    CHECK(row0 == row0_ && base == row0_ * plan_.w, "row0 %u base %u, expected %u", row0, base, row0_);
    CHECK(entry == entry_, "entry %u, expected %u", entry, entry_);
    const uint64_t period = (plan_.slot_cycles ? plan_.slot_cycles : 1) + (start ? plan_.gap : 0);
    if (!first_) {
      const uint64_t since = cycle() - last_slot_;
      CHECK(since >= period, "slot %llu after %llu cycles", (unsigned long long)slots, (unsigned long long)since);
      const bool tiny = uint64_t(plan_.slot_cycles) * plan_.h * plan_.groups < 4;
      if (!stalled_since_ && !tiny) CHECK(since == period, "slot late: %llu", (unsigned long long)since);
    }
    first_ = false;
    stalled_since_ = stall_;  // the stall of the previous cycle holds up the next slot
    last_slot_ = cycle();
    slots++;
    if (slots == 1) {
      count_ = 0;
      drain_done_ = false;
    }
    flight_.push_back({cycle() + latency, collect != 0});
    if (++group_ == plan_.groups) {
      group_ = 0;
      if (++row_ == plan_.h) {
        row_ = 0;
        row0_ = (row0_ + 1) % plan_.h;
        if (colour_) {
          iterations++;
          if (++used_ >= plan_.schedule[entry_] && entry_ + 1 < plan_.schedule.size()) {
            entry_++;
            used_ = 0;
          }
        }
        colour_ ^= 1;
      }
    }
  }

  uint64_t message(int spe, bool taken) {
    auto &fifo = fifo_[spe];
    if (taken && !fifo.empty()) fifo.pop_front();  // empty after a reset
    return fifo.empty() ? 0 : (uint64_t(1) << 63) | fifo.front();
  }

  uint64_t step(bool running, bool drain_start) {
    if (!running) {
      for (auto &fifo : fifo_) fifo.clear();
      flight_.clear();
      draining_ = drain_done_ = false;
      return 2;
    }
    while (!flight_.empty() && flight_.front().due <= cycle()) {
      if (flight_.front().collect) {
        for (int spe = 0; spe < kSpes; spe++) {
          if (chance(message_percent)) push(spe);
        }
      }
      flight_.pop_front();
    }
    if (drain_start) {
      CHECK(flight_.empty(), "drain before the last write-back");
      draining_ = drained = true;
      left_ = drain;
      left_.resize(kSpes);
    }
    if (draining_) {
      bool more = false;
      for (int spe = 0; spe < kSpes; spe++) {
        if (left_[spe] && fifo_[spe].size() < 60 && chance(70)) {
          push(spe);
          left_[spe]--;
        }
        more |= left_[spe] != 0;
      }
      if (!more) {
        draining_ = false;
        drain_done_ = true;
      }
    }
    bool stall = false;
    for (auto &fifo : fifo_) {
      CHECK(fifo.size() <= 64, "log FIFO overflows: a slot was started in spite of stall");
      stall |= fifo.size() + flight_.size() + 3 > 64;
    }
    stall_ = stall;
    stalled_since_ |= stall;
    // The sum over the SPEs takes a while.
    delay_.push_back(count_);
    const uint64_t late = delay_.front();
    if (delay_.size() > 12) delay_.pop_front();
    return (stall ? 1 : 0) | (flight_.empty() ? 2 : 0) | (drain_done_ ? 4 : 0) | (late << 3);
  }

  static uint8_t label(uint32_t spe, uint32_t addr) { return uint8_t((spe * 131 + addr * 7 + (addr >> 8)) * 37 >> 3); }

 private:
  struct Slot { uint64_t due; bool collect; };

  void push(int spe) {
    // Unique and never 0.
    const uint64_t id = (uint64_t(spe) << 18 | (++serial_ & 0x3FFFF)) + 1;
    const uint64_t message = MESSAGE_BITS == 32 ? (id & 0xFFFFFFFF) : (id | (serial_ << 36)) & ~(uint64_t(1) << 63);
    fifo_[spe].push_back(message);
    sent.insert(message);
    count_++;
  }

  Plan plan_;
  std::deque<uint64_t> fifo_[kSpes];
  std::deque<Slot> flight_;
  std::deque<uint64_t> delay_;
  std::vector<uint32_t> left_;
  uint64_t count_ = 0, serial_ = 0, last_slot_ = 0;
  uint32_t row_ = 0, group_ = 0, row0_ = 0, colour_ = 0, entry_ = 0, used_ = 0;
  bool first_ = true, stalled_since_ = false, stall_ = false, draining_ = false, drain_done_ = false;
};
