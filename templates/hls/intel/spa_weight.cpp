// spa_weight: WeightStage as a component of the Intel HLS compiler
#include "spa_weight.hpp"

using namespace spa;

SPA_COMPONENT void spa_weight(In<Record, kChainDepth>& chain, Out<Record>& onward,
    In<Energies, 2 * kLabels>& energies, In<Energies, kSlotDepth>& least, In<ScheduleEntry, kSlotDepth>& entries,
    Out<Weights>& weights, Out<Sums>& sums) {
  SPA_STATE(WeightStage, self);
  self.run(chain, onward, energies, least, entries, weights, sums);
}
