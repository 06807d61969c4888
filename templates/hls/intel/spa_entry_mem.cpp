// spa_entry_mem: EntryMem as a component of the Intel HLS compiler
#include "spa_entry_mem.hpp"

using namespace spa;

SPA_COMPONENT void spa_entry_mem(In<Record, kChainDepth>& chain, Out<Record>& onward,
    In<EntryWrite, kWriteDepth>& write, In<NewLabels, kSlotDepth>& labels, Out<Message>& messages) {
  SPA_STATE(EntryMem, self);
  self.run(chain, onward, write, labels, messages);
}
