// spa_label_reader: LabelReader as a component of the Intel HLS compiler
#include "spa_label_reader.hpp"

using namespace spa;

SPA_COMPONENT void spa_label_reader(In<Record, kChainDepth>& chain, In<Record, kSlotDepth>& black,
    In<Record, kSlotDepth>& white, In<Record, kSlotDepth>& behind, Out<Record>& labels) {
  SPA_STATE(LabelReader, self);
  self.run(chain, black, white, behind, labels);
}
