// spa_label_switch: the four neighbours of each RV from the banks or the copies (label switches)
#pragma once

#include "spa_types.hpp"

namespace spa {

class LabelSwitch {
 public:
  void run(In<Record, kChainDepth>& chain, Out<Record>& onward, In<LabelBanks, kSlotDepth>& black,
           In<LabelBanks, kSlotDepth>& white, In<LabelTurn, kSlotDepth>& turn, Out<Neighbours>& neighbours) {
    if (next_command(*this, chain, onward) != kRun) return;
    for (Field24 iteration = 0; iteration < parameters_.iterations; iteration++) {
      for (int colour = 0; colour < 2; colour++) {
        for (ac_int<16, false> row = 0; row < parameters_.tile_height; row++) {
          for (ac_int<16, false> group = 0; group < parameters_.groups; group++) {
            Neighbours n;
            SPA_PIPELINE(1)
            for (int j = 0; j < kSpus; j++) {
              // Neighbours have the other colour.
              const LabelBanks banks = colour == 0 ? get(white) : get(black);
              around(banks, get(turn), n.label[j]);
            }
            put(neighbours, n);
          }
        }
      }
    }
  }

  void load(ac_int<4, false> target, Field24 address, Field24 data) {
    if (target == kParameter) parameters_.load(address, data);
  }

 private:
  // Left and right lie in the row of the RV, up and down in the other parity; left and up in one half.
  static void around(const LabelBanks& banks, const LabelTurn& turn, Label* labels) {
    const int flip[4] = {0, 2, 1, 3};
    SPA_UNROLL
    for (int n = 0; n < 4; n++) {
      const Label inside = banks.bank[turn.bank.to_int() ^ flip[n]];
      const Label across = n < 2 ? banks.horizontal : banks.vertical;
      labels[n]          = turn.halo[n] ? across : inside;
    }
  }

  Parameters parameters_;
};

}  // namespace spa
