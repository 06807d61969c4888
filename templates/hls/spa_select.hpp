// spa_select: the new label of each RV: the first whose weight and those before it exceed r (SPU)
#pragma once

#include "spa_types.hpp"

namespace spa {

class SelectStage {
 public:
  void run(In<Record, kChainDepth>& chain, Out<Record>& onward, In<Weights, 2 * kLabels>& weights,
           In<Sums, kSlotDepth>& draws, In<LaneBits, kWriteDepth>& keep, Out<NewLabels>& black, Out<NewLabels>& white,
           Out<NewLabels>& entry) {
    if (next_command(*this, chain, onward) != kRun) return;
    for (Field24 iteration = 0; iteration < parameters_.iterations; iteration++) {
      for (int colour = 0; colour < 2; colour++) {
        for (ac_int<16, false> row = 0; row < parameters_.tile_height; row++) {
          for (ac_int<16, false> group = 0; group < parameters_.groups; group++) {
            const NewLabels fresh = slot(weights, get(draws), get(keep));
            if (colour == 0) put(black, fresh);
            else             put(white, fresh);
            put(entry, fresh);
          }
        }
      }
    }
  }

  void load(ac_int<4, false> target, Field24 address, Field24 data) {
    if (target == kParameter) parameters_.load(address, data);
  }

 private:
  NewLabels slot(In<Weights, 2 * kLabels>& weights, const Sums& draw, LaneBits keep) const {
    ac_int<kSumBits + 1, true> rest[kSpus];
    NewLabels fresh;
    fresh.keep = keep;
    SPA_UNROLL
    for (int j = 0; j < kSpus; j++) {
      rest[j]        = draw.sum[j];
      fresh.label[j] = 0;
    }
    SPA_PIPELINE(1)
    for (ac_int<9, false> label = 0; label < parameters_.labels; label++) {
      const Weights w = get(weights);
      SPA_UNROLL
      for (int j = 0; j < kSpus; j++) {
        // Count the labels up to which the sum does not exceed r; once negative, the rest stays so.
        rest[j] -= w.weight[j];
        if (rest[j] >= 0) fresh.label[j] += 1;
        else              rest[j] = -1;
      }
    }
    return fresh;
  }

  Parameters parameters_;
};

}  // namespace spa
