// spa_dram_hub_4: DramHub of 4 inputs as a component of the Intel HLS compiler
#include "spa_dram_hub.hpp"

using namespace spa;

SPA_COMPONENT void spa_dram_hub_4(In<Message, kLogFifoDepth>& in0, In<Message, kLogFifoDepth>& in1,
    In<Message, kLogFifoDepth>& in2, In<Message, kLogFifoDepth>& in3, Out<Message>& out) {
  SPA_STATE(DramHub<4>, self);
  self.run(in0, in1, in2, in3, out);
}
