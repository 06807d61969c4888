// spa_dram_hub_3: DramHub of 3 inputs as a component of the Intel HLS compiler
#include "spa_dram_hub.hpp"

using namespace spa;

SPA_COMPONENT void spa_dram_hub_3(In<Message, kLogFifoDepth>& in0, In<Message, kLogFifoDepth>& in1,
    In<Message, kLogFifoDepth>& in2, Out<Message>& out) {
  SPA_STATE(DramHub<3>, self);
  // Inputs beyond 3 are never looked at.
  self.run(in0, in1, in2, in2, out);
}
