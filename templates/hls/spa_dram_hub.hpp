// spa_dram_hub: merges up to four message streams into one, round robin (DRAM hub)
//
// A message with count 0 ends a stream; the hub sends one when all of its inputs have ended. The order of messages
// has no meaning, so this is the one component that may look whether something has come.
#pragma once

#include "spa_types.hpp"

namespace spa {

template <int Inputs>
class DramHub {
 public:
  void run(In<Message, kLogFifoDepth>& in0, In<Message, kLogFifoDepth>& in1, In<Message, kLogFifoDepth>& in2,
           In<Message, kLogFifoDepth>& in3, Out<Message>& out) {
    bool ended[4] = {Inputs < 1, Inputs < 2, Inputs < 3, Inputs < 4};
    SPA_PIPELINE(4)
    while (!ended[0] || !ended[1] || !ended[2] || !ended[3]) {
      if (!ended[0]) ended[0] = pass(in0, out);
      if (!ended[1]) ended[1] = pass(in1, out);
      if (!ended[2]) ended[2] = pass(in2, out);
      if (!ended[3]) ended[3] = pass(in3, out);
    }
    put(out, Message(0));
  }

 private:
  static bool pass(In<Message, kLogFifoDepth>& in, Out<Message>& out) {
    Message message;
    if (!try_get(in, message)) return false;
    if (message == 0) return true;
    put(out, message);
    return false;
  }
};

}  // namespace spa
