// spa_s2mem: S2Mem as a component of the Intel HLS compiler
#include "spa_s2mem.hpp"

using namespace spa;

SPA_COMPONENT void spa_s2mem(In<Record, kChainDepth>& chain, Out<Record>& onward, In<S2Read, kLabelDepth>& read,
    Out<Samples>& samples) {
  SPA_STATE(S2Mem, self);
  self.run(chain, onward, read, samples);
}
