// spa_dram_hub_2: DramHub of 2 inputs as a component of the Intel HLS compiler
#include "spa_dram_hub.hpp"

using namespace spa;

SPA_COMPONENT void spa_dram_hub_2(In<Message, kLogFifoDepth>& in0, In<Message, kLogFifoDepth>& in1,
    Out<Message>& out) {
  SPA_STATE(DramHub<2>, self);
  // Inputs beyond 2 are never looked at.
  self.run(in0, in1, in1, in1, out);
}
