// spa_select: SelectStage as a component of the Intel HLS compiler
#include "spa_select.hpp"

using namespace spa;

SPA_COMPONENT void spa_select(In<Record, kChainDepth>& chain, Out<Record>& onward, In<Weights, 2 * kLabels>& weights,
    In<Sums, kSlotDepth>& draws, In<LaneBits, kWriteDepth>& keep, Out<NewLabels>& black, Out<NewLabels>& white,
    Out<NewLabels>& entry) {
  SPA_STATE(SelectStage, self);
  self.run(chain, onward, weights, draws, keep, black, white, entry);
}
