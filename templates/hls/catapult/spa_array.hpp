// spa_array: grid of SPEs, links, command chain and hubs (SPE array); the top of the design
//
// Links close around the grid, so that every SPE is the same; what comes around is never used. The chain turns around
// at the last SPE.
#pragma once

#include "spa_dram_hub.hpp"
#include "spa_spe.hpp"

namespace spa {

// Streams at a level of the hub tree, and at all levels below it.
constexpr int hub_width(int level) { return level == 0 ? kSpes : (hub_width(level - 1) + 3) / 4; }
constexpr int hub_base(int level) { return level == 0 ? 0 : hub_base(level - 1) + hub_width(level - 1); }
constexpr int hub_levels(int level = 0) { return hub_width(level) == 1 ? level : hub_levels(level + 1); }

class Array {
 public:
#pragma hls_design top
  void CCS_BLOCK(run)(ac_channel<Record>& program, ac_channel<Record>& labels, ac_channel<Message>& messages) {
    SPA_UNROLL
    for (int spe = 0; spe < kSpes; spe++) {
      const int row = spe / kCols, col = spe % kCols;
      const int left = row * kCols + (col + kCols - 1) % kCols, right = row * kCols + (col + 1) % kCols;
      const int up = (row + kRows - 1) % kRows * kCols + col, down = (row + 1) % kRows * kCols + col;
      ac_channel<Record>& chain    = spe == 0 ? program : chain_[spe];
      ac_channel<Record>& readback = spe == 0 ? labels : labels_[spe];
      ac_channel<Record>& behind   = spe + 1 == kSpes ? chain_[kSpes] : labels_[spe + 1];
      spe_[spe].run(chain, chain_[spe + 1], behind, readback, to_right_[left], to_left_[right], to_down_[up],
                    to_up_[down], to_left_[spe], to_right_[spe], to_up_[spe], to_down_[spe],
                    kSpes == 1 ? messages : messages_[spe]);
    }
    SPA_UNROLL
    for (int level = 0; level < hub_levels(); level++) {
      SPA_UNROLL
      for (int hub = 0; hub < hub_width(level + 1); hub++) {
        const int first = hub_base(level) + 4 * hub;
        const int width = hub_width(level) - 4 * hub;
        ac_channel<Message>& out = level + 1 == hub_levels() ? messages : messages_[hub_base(level + 1) + hub];
        merge(hub_base(level + 1) - kSpes + hub, width < 4 ? width : 4, &messages_[first], out);
      }
    }
  }

 private:
  // Inputs beyond the last are never looked at.
  void merge(int hub, int inputs, ac_channel<Message>* in, ac_channel<Message>& out) {
    switch (inputs) {
      case 1: block(hub1_[hub], in[0], in[0], in[0], in[0], out); break;
      case 2: block(hub2_[hub], in[0], in[1], in[1], in[1], out); break;
      case 3: block(hub3_[hub], in[0], in[1], in[2], in[2], out); break;
      default: block(hub4_[hub], in[0], in[1], in[2], in[3], out); break;
    }
  }

  template <int Inputs>
  void block(DramHub<Inputs>& hub, ac_channel<Message>& in0, ac_channel<Message>& in1, ac_channel<Message>& in2,
             ac_channel<Message>& in3, ac_channel<Message>& out) {
    SPA_BLOCK(hub.run(in0, in1, in2, in3, out));
  }

  // All hubs of the tree; of each number of inputs only those that are called become hardware.
  static constexpr int kHubs = hub_base(hub_levels()) + 1 - kSpes;

  Spe spe_[kSpes];
  DramHub<1> hub1_[kHubs + 1];
  DramHub<2> hub2_[kHubs + 1];
  DramHub<3> hub3_[kHubs + 1];
  DramHub<4> hub4_[kHubs + 1];
  ac_channel<Record> chain_[kSpes + 1], labels_[kSpes];
  Link to_left_[kSpes], to_right_[kSpes], to_up_[kSpes], to_down_[kSpes];
  ac_channel<Message> messages_[hub_base(hub_levels()) + 1];
};

}  // namespace spa
