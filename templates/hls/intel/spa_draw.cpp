// spa_draw: DrawStage as a component of the Intel HLS compiler
#include "spa_draw.hpp"

using namespace spa;

SPA_COMPONENT void spa_draw(In<Record, kChainDepth>& chain, Out<Record>& onward, In<Counter, kSlotDepth>& counters,
    In<Sums, kSlotDepth>& sums, Out<Sums>& draws) {
  SPA_STATE(DrawStage, self);
  self.run(chain, onward, counters, sums, draws);
}
