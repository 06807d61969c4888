// spa_dram_hub_1: DramHub of 1 input as a component of the Intel HLS compiler
#include "spa_dram_hub.hpp"

using namespace spa;

SPA_COMPONENT void spa_dram_hub_1(In<Message, kLogFifoDepth>& in0, Out<Message>& out) {
  SPA_STATE(DramHub<1>, self);
  // Inputs beyond 1 are never looked at.
  self.run(in0, in0, in0, in0, out);
}
