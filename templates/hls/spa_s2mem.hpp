// spa_s2mem: singleton 2 of the tile and its margins in one bank for each SPU, or the costs of its RVs (S2Mem)
#pragma once

#include "spa_types.hpp"

namespace spa {

class S2Mem {
 public:
  void run(In<Record, kChainDepth>& chain, Out<Record>& onward, In<S2Read, kLabelDepth>& read, Out<Samples>& samples) {
    if (next_command(*this, chain, onward) != kRun) return;
    for (Field24 iteration = 0; iteration < parameters_.iterations; iteration++) {
      for (ac_int<17, false> row = 0; row < 2 * parameters_.tile_height; row++) {
        for (ac_int<16, false> group = 0; group < parameters_.groups; group++) {
          SPA_PIPELINE(1)
          for (ac_int<9, false> label = 0; label < parameters_.labels; label++) put(samples, banks(get(read)));
        }
      }
    }
  }

  void load(ac_int<4, false> target, Field24 address, Field24 data) {
    const int bank      = kSpus > 1 ? address.to_uint() % kSpus : 0;
    const unsigned word = address.to_uint() / kSpus;
    if (target == kS2) s2_[word][bank] = data;
    if (kSingletonTable && target == kCost) cost_[word][bank] = data;
    if (target == kParameter) parameters_.load(address, data);
  }

 private:
  Samples banks(const S2Read& read) const {
    Samples samples;
    SPA_UNROLL
    for (int bank = 0; bank < kSpus; bank++) {
      samples.sample[bank] = s2_[read.word[bank].to_uint()][bank];
      if (kSingletonTable && parameters_.s2_mode == 2) samples.sample[bank] = cost_[read.cost.to_uint()][bank];
    }
    return samples;
  }

  Parameters parameters_;
  SPA_BANKED(kSpus, 1) ac_int<kSingletonBits, false> s2_[kS2Depth][kSpus];
  SPA_BANKED(kSpus, 2) ac_int<16, false> cost_[kCostDepth][kSpus];
};

}  // namespace spa
