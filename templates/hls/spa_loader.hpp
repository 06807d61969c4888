// spa_loader: reads the program of a run from memory and sends it down the command chain
#pragma once

#include "spa_types.hpp"

namespace spa {

class Loader {
 public:
  typedef ac_int<64, false> Index;  // of a line

  void run(Out<Record>& chain, Memory& memory, Index program, ac_int<32, false> lines) {
    for (ac_int<32, false> line = 0; line < lines; line++) {
      const Word records = memory[(program + line).to_uint64()].bits;
      SPA_PIPELINE(1)
      for (int i = 0; i < kLineBits / 64; i++) put(chain, Record(records.template slc<64>(64 * i)));
    }
  }
};

}  // namespace spa
