// spa_s1mem: S1Mem as a component of the Intel HLS compiler
#include "spa_s1mem.hpp"

using namespace spa;

SPA_COMPONENT void spa_s1mem(In<Record, kChainDepth>& chain, Out<Record>& onward, In<S1Read, kSlotDepth>& read,
    Out<S1Samples>& samples, Out<LaneBits>& keep) {
  SPA_STATE(S1Mem, self);
  self.run(chain, onward, read, samples, keep);
}
