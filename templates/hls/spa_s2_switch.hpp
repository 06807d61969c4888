// spa_s2_switch: singleton 2 from the own tile or one of eight neighbours, for each SPU (S2Mem switches)
//
// All SPEs read the same local addresses and turn the same way, so a diagonal neighbour is reached in two steps: each
// picks left, own or right, then upper, own or lower from what its neighbours have picked.
#pragma once

#include "spa_types.hpp"

namespace spa {

class S2Switch {
 public:
  // With links
  void run(In<Record, kChainDepth>& chain, Out<Record>& onward, In<Samples, kLabelDepth>& banks,
           In<S2Turn, kLabelDepth>& turn, In<Samples, kLinkDepth>& from_left, In<Samples, kLinkDepth>& from_right,
           In<Samples, kLinkDepth>& from_up, In<Samples, kLinkDepth>& from_down, Out<Samples>& to_left,
           Out<Samples>& to_right, Out<Samples>& to_up, Out<Samples>& to_down, Out<Samples>& samples) {
    if (next_command(*this, chain, onward) != kRun) return;
    for (Field24 iteration = 0; iteration < parameters_.iterations; iteration++) {
      for (ac_int<17, false> row = 0; row < 2 * parameters_.tile_height; row++) {
        for (ac_int<16, false> group = 0; group < parameters_.groups; group++) {
          SPA_PIPELINE(1)
          for (ac_int<9, false> label = 0; label < parameters_.labels; label++) {
            const S2Turn turned = get(turn);
            const Samples own   = lanes(get(banks), turned);
            put(to_left, own);
            put(to_right, own);
            const Samples left = get(from_left), right = get(from_right);
            const Samples across = column(own, left, right, turned);
            put(to_up, across);
            put(to_down, across);
            const Samples up = get(from_up), down = get(from_down);
            put(samples, value_or(turned.up ? up : turned.down ? down : across, turned));
          }
        }
      }
    }
  }

  // Without: everything is in the own tile.
  void run(In<Record, kChainDepth>& chain, Out<Record>& onward, In<Samples, kLabelDepth>& banks,
           In<S2Turn, kLabelDepth>& turn, Out<Samples>& samples) {
    if (next_command(*this, chain, onward) != kRun) return;
    for (Field24 iteration = 0; iteration < parameters_.iterations; iteration++) {
      for (ac_int<17, false> row = 0; row < 2 * parameters_.tile_height; row++) {
        for (ac_int<16, false> group = 0; group < parameters_.groups; group++) {
          SPA_PIPELINE(1)
          for (ac_int<9, false> label = 0; label < parameters_.labels; label++) {
            const S2Turn turned = get(turn);
            put(samples, value_or(lanes(get(banks), turned), turned));
          }
        }
      }
    }
  }

  void load(ac_int<4, false> target, Field24 address, Field24 data) {
    if (target == kParameter) parameters_.load(address, data);
  }

 private:
  // SPU j has bank (bank of SPU 0 + j) mod kSpus.
  static Samples lanes(const Samples& banks, const S2Turn& turned) {
    Samples s;
    SPA_UNROLL
    for (int j = 0; j < kSpus; j++) {
      s.sample[j] = banks.sample[turned.cost ? j : (turned.bank.to_uint() + j) % kSpus];
    }
    return s;
  }

  static Samples value_or(Samples s, const S2Turn& turned) {
    SPA_UNROLL
    for (int j = 0; j < kSpus; j++) {
      if (turned.use_value) s.sample[j] = turned.value;
    }
    return s;
  }

  static Samples column(const Samples& own, const Samples& left, const Samples& right, const S2Turn& turned) {
    Samples s;
    SPA_UNROLL
    for (int j = 0; j < kSpus; j++) {
      s.sample[j] = turned.left[j] ? left.sample[j] : turned.right[j] ? right.sample[j] : own.sample[j];
    }
    return s;
  }

  Parameters parameters_;
};

}  // namespace spa
