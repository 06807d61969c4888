// spa_label_writer: LabelWriter as a component of the Intel HLS compiler; the host starts it by its registers
#include "spa_label_writer.hpp"

using namespace spa;

SPA_STARTED_COMPONENT void spa_label_writer(In<Record, kSlotDepth>& labels, Memory& memory,
    SPA_REGISTER_ARGUMENT LabelWriter::Index base, SPA_REGISTER_ARGUMENT ac_int<32, false> records) {
  SPA_STATE(LabelWriter, self);
  self.run(labels, memory, base, records);
}
