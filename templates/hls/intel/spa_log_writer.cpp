// spa_log_writer: LogWriter as a component of the Intel HLS compiler; the host starts it by its registers
#include "spa_log_writer.hpp"

using namespace spa;

SPA_STARTED_COMPONENT void spa_log_writer(In<Message, kLogFifoDepth>& messages, Memory& memory,
    SPA_REGISTER_ARGUMENT LogWriter::Index ring, SPA_REGISTER_ARGUMENT LogWriter::Count lines,
    SPA_REGISTER_ARGUMENT LogWriter::Index status, SPA_REGISTER_ARGUMENT LogWriter::Index consumed) {
  SPA_STATE(LogWriter, self);
  self.run(messages, memory, ring, lines, status, consumed);
}
