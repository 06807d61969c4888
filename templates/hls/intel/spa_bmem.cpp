// spa_bmem: BMem as a component of the Intel HLS compiler
#include "spa_label_mem.hpp"

using namespace spa;

SPA_COMPONENT void spa_bmem(In<Record, kChainDepth>& chain, Out<Record>& onward, In<LabelRead, kSlotDepth>& read,
    Out<LabelBanks>& banks, In<LabelWrite, kWriteDepth>& write, In<NewLabels, kSlotDepth>& labels,
    In<Border, kLinkDepth>& from_left, In<Border, kLinkDepth>& from_right, In<Border, kLinkDepth>& from_up,
    In<Border, kLinkDepth>& from_down, Out<Border>& to_left, Out<Border>& to_right, Out<Border>& to_up,
    Out<Border>& to_down, Out<Record>& readback) {
  SPA_STATE(BMem, self);
  self.run(chain, onward, read, banks, write, labels, from_left, from_right, from_up, from_down, to_left, to_right,
           to_up, to_down, readback);
}
