// spa_label_writer: writes the labels of all SPEs into memory, four bytes a record
#pragma once

#include "spa_types.hpp"

namespace spa {

class LabelWriter {
 public:
  typedef ac_int<64, false> Index;  // of a line

  void run(In<Record, kSlotDepth>& labels, Memory& memory, Index base, ac_int<32, false> records) {
    Index place = base;
    Line line;
    line.bits = 0;
    int slot  = 0;
    SPA_PIPELINE(1)
    for (ac_int<32, false> record = 0; record < records; record++) {
      line.bits.set_slc(32 * slot, get(labels).template slc<32>(0));
      slot += 1;
      if (slot == kLineBits / 32 || record + 1 == records) {
        memory[place.to_uint64()] = line;
        place += 1;
        slot      = 0;
        line.bits = 0;
      }
    }
  }
};

}  // namespace spa
