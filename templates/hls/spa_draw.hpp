// spa_draw: random numbers of a slot, and r = (u * sum of weights) >> kUBits for each SPU
#pragma once

#include "spa_rng.hpp"

namespace spa {

class DrawStage {
 public:
  void run(In<Record, kChainDepth>& chain, Out<Record>& onward, In<Counter, kSlotDepth>& counters,
           In<Sums, kSlotDepth>& sums, Out<Sums>& draws) {
    if (next_command(*this, chain, onward) != kRun) return;
    for (Field24 iteration = 0; iteration < parameters_.iterations; iteration++) {
      for (ac_int<17, false> row = 0; row < 2 * parameters_.tile_height; row++) {
        // Four cycles a slot let the rounds share adders.
        SPA_PIPELINE(4)
        for (ac_int<16, false> group = 0; group < parameters_.groups; group++) {
          Number u[kSpus];
          numbers(get(counters), u);
          const Sums total = get(sums);
          Sums draw;
          SPA_UNROLL
          for (int j = 0; j < kSpus; j++) draw.sum[j] = (u[j] * total.sum[j]) >> kUBits;
          put(draws, draw);
        }
      }
    }
  }

  void load(ac_int<4, false> target, Field24 address, Field24 data) {
    if (target == kParameter) parameters_.load(address, data);
  }

 private:
  typedef ac_int<kUBits, false> Number;

  // Two RVs share a block: x and x + 2, which agree in x >> 2.
  void numbers(const Counter& counter, Number* u) const {
    for (int first = 0; first < kSpus; first += 2) {
      const Block block = threefry(parameters_.seed, counter.c0 + first, counter.c1);
      if (kSpus == 1) {
        u[0] = block.word[counter.second.to_int()].slc<kUBits>(32 - kUBits);
      } else {
        u[first]              = block.word[0].slc<kUBits>(32 - kUBits);
        u[(first + 1) % kSpus] = block.word[1].slc<kUBits>(32 - kUBits);
      }
    }
  }

  Parameters parameters_;
};

}  // namespace spa
