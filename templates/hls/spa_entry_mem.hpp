// spa_entry_mem: most and least recently picked label of each RV with their counts (label entry, Algorithm 1)
#pragma once

#include "spa_types.hpp"

namespace spa {

class EntryMem {
 public:
  void run(In<Record, kChainDepth>& chain, Out<Record>& onward, In<EntryWrite, kWriteDepth>& write,
           In<NewLabels, kSlotDepth>& labels, Out<Message>& messages) {
    const ac_int<4, false> command = next_command(*this, chain, onward);
    if (command == kDrain) drain(messages);
    if (command != kRun) return;
    for (Field24 iteration = 0; iteration < parameters_.iterations; iteration++) {
      for (ac_int<17, false> row = 0; row < 2 * parameters_.tile_height; row++) {
        // The same RV comes again after two half-steps.
        SPA_IVDEP
        for (ac_int<16, false> group = 0; group < parameters_.groups; group++) {
          const EntryWrite slot = get(write);
          const NewLabels fresh = get(labels);
          SPA_IVDEP
          for (int j = 0; j < kSpus; j++) {
            const RvAddress address = slot.address + 2 * j;
            if (slot.first && fresh.keep[j]) clear(address);
            else if (slot.collect && !fresh.keep[j]) enter(address, fresh.label[j], slot.first, messages);
          }
        }
      }
    }
  }

  void load(ac_int<4, false> target, Field24 address, Field24 data) {
    if (target == kEnumerate) spe_ = address;
    if (target == kParameter) parameters_.load(address, data);
  }

 private:
  typedef ac_int<kCountBits, false> Count;
  enum { kCountMax = (1 << kCountBits) - 1 };

  struct Pair {
    Label label;
    Count count;
  };

  struct Entry {
    Pair recent, earlier;
  };

  void clear(RvAddress address) {
    Entry& entry        = entry_[address.to_uint()];
    entry.recent.count  = 0;
    entry.earlier.count = 0;
  }

  void enter(RvAddress address, Label label, bool first, Out<Message>& messages) {
    Entry old = entry_[address.to_uint()];
    if (first) old.recent.count = old.earlier.count = 0;
    Entry fresh = {{label, 1}, old.recent};  // the earlier pair is pushed out
    if (old.recent.count != 0 && old.recent.label == label) {
      fresh.recent.count = count_up(address, old.recent, messages);
      fresh.earlier      = old.earlier;
    } else if (old.earlier.count != 0 && old.earlier.label == label) {
      fresh.recent.count = count_up(address, old.earlier, messages);
    } else {
      send(address, old.earlier, messages);
    }
    entry_[address.to_uint()] = fresh;
  }

  // A full counter is sent and starts anew.
  Count count_up(RvAddress address, const Pair& pair, Out<Message>& messages) {
    if (pair.count != kCountMax) return pair.count + 1;
    send(address, pair, messages);
    return 1;
  }

  void send(RvAddress address, const Pair& pair, Out<Message>& messages) {
    if (pair.count == 0) return;
    Message message = 0;
    message.set_slc(0, pair.count);
    message.set_slc(kCountBits, pair.label);
    message.set_slc(kCountBits + kLabelBits, address);
    message.set_slc(kCountBits + kLabelBits + kRvBits, spe_);
    put(messages, message);
  }

  // What the entries still hold, and a message with count 0: the end.
  void drain(Out<Message>& messages) {
    const int rvs = parameters_.tile_width.to_int() * parameters_.tile_height.to_int();
    for (int address = 0; address < rvs; address++) {
      const Entry entry = entry_[address];
      send(address, entry.recent, messages);
      send(address, entry.earlier, messages);
    }
    put(messages, Message(0));
  }

  Parameters parameters_;
  ac_int<kSpeBits, false> spe_;
  SPA_MEMORY Entry entry_[kRvCapacity];
};

}  // namespace spa
