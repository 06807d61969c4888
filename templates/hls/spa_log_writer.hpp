// spa_log_writer: packs messages into lines and writes them into a ring in memory (line builder, log index)
//
// The line at `status` tells how many lines have been written (bits 31:0), how many messages (95:32), and that the
// log is complete (96). The host writes the number of lines that it has read to bits 31:0 of the line at `consumed`,
// which is looked at only while the ring is full.
#pragma once

#include "spa_types.hpp"

namespace spa {

class LogWriter {
 public:
  typedef ac_int<64, false> Index;  // of a line
  typedef ac_int<32, false> Count;

  void run(In<Message, kLogFifoDepth>& messages, Memory& memory, Index ring, Count lines, Index status,
           Index consumed) {
    Count written = 0, read = 0, place = 0;
    ac_int<64, false> count = 0;
    ac_int<bits_for(kSlots) + 1, false> slot = 0;
    Line line;
    line.bits = 0;
    bool end  = false;
    while (!end) {
      const Message message = get(messages);
      end                   = message == 0;
      if (!end) {
        line.bits.set_slc(slot.to_int() * kMessageBits, message);
        slot += 1;
        count += 1;
      }
      if (slot == kSlots || (end && slot != 0)) {
        while (Count(written - read) == lines) {
          SPA_POLL();
          read = memory[consumed.to_uint64()].bits.template slc<32>(0);
        }
        memory[(ring + place).to_uint64()] = line;
        written += 1;
        place     = place + 1 == lines ? Count(0) : Count(place + 1);
        slot      = 0;
        line.bits = 0;
        tell(memory, status, written, count, end);
      } else if (end) {
        tell(memory, status, written, count, end);
      }
    }
  }

 private:
  static void tell(Memory& memory, Index status, Count written, ac_int<64, false> count, bool end) {
    Line line;
    line.bits = 0;
    line.bits.set_slc(0, written);
    line.bits.set_slc(32, count);
    line.bits.set_slc(96, Bit(end));
    memory[status.to_uint64()] = line;
  }
};

}  // namespace spa
