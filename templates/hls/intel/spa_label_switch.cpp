// spa_label_switch: LabelSwitch as a component of the Intel HLS compiler
#include "spa_label_switch.hpp"

using namespace spa;

SPA_COMPONENT void spa_label_switch(In<Record, kChainDepth>& chain, Out<Record>& onward,
    In<LabelBanks, kSlotDepth>& black, In<LabelBanks, kSlotDepth>& white, In<LabelTurn, kSlotDepth>& turn,
    Out<Neighbours>& neighbours) {
  SPA_STATE(LabelSwitch, self);
  self.run(chain, onward, black, white, turn, neighbours);
}
