// spa_energy: EnergyStage as a component of the Intel HLS compiler
#include "spa_energy.hpp"

using namespace spa;

SPA_COMPONENT void spa_energy(In<Record, kChainDepth>& chain, Out<Record>& onward, In<S1Samples, kSlotDepth>& s1,
    In<Neighbours, kSlotDepth>& neighbours, In<Surroundings, kSlotDepth>& surroundings, In<Walk, kLabelDepth>& walk,
    In<Samples, kLabelDepth>& s2, Out<Energies>& energies, Out<Energies>& least) {
  SPA_STATE(EnergyStage, self);
  self.run(chain, onward, s1, neighbours, surroundings, walk, s2, energies, least);
}
