// spa_s1mem: singleton 1, evidence and edge weights of the tile (S1Mem)
#pragma once

#include "spa_types.hpp"

namespace spa {

class S1Mem {
 public:
  void run(In<Record, kChainDepth>& chain, Out<Record>& onward, In<S1Read, kSlotDepth>& read, Out<S1Samples>& samples,
           Out<LaneBits>& keep) {
    if (next_command(*this, chain, onward) != kRun) return;
    for (Field24 iteration = 0; iteration < parameters_.iterations; iteration++) {
      // Black rows, then white ones
      for (ac_int<17, false> row = 0; row < 2 * parameters_.tile_height; row++) {
        for (ac_int<16, false> group = 0; group < parameters_.groups; group++) slot(get(read), samples, keep);
      }
    }
  }

  void load(ac_int<4, false> target, Field24 address, Field24 data) {
    if (target == kS1) {
      s1_[address.to_uint()]    = data;
      fixed_[address.to_uint()] = data[8];
    }
    if (kEdgeWeights && target == kEdge) edges_[address.to_uint()] = data;
    if (target == kParameter) parameters_.load(address, data);
  }

 private:
  // One SPU a cycle, out of a single port
  void slot(const S1Read& read, Out<S1Samples>& samples, Out<LaneBits>& keep) {
    S1Samples s;
    LaneBits kept = 0;
    SPA_PIPELINE(1)
    for (int j = 0; j < kSpus; j++) {
      const unsigned address = read.address.to_uint() + 2 * j;
      s.s1[j]    = s1_[address];
      s.edges[j] = kEdgeWeights ? edges_[address] : ac_int<16, false>(0);
      kept[j]    = fixed_[address] | !read.inside[j];
    }
    put(samples, s);
    put(keep, kept);
  }

  Parameters parameters_;
  SPA_MEMORY ac_int<kSingletonBits, false> s1_[kRvCapacity];
  SPA_MEMORY Bit fixed_[kRvCapacity];
  SPA_MEMORY ac_int<16, false> edges_[kEdgeWeights ? kRvCapacity : 1];
};

}  // namespace spa
