// spa_scheduler: Scheduler as a component of the Intel HLS compiler
#include "spa_scheduler.hpp"

using namespace spa;

SPA_COMPONENT void spa_scheduler(In<Record, kChainDepth>& chain, Out<Record>& onward, Out<Record>& own,
    Out<S1Read>& s1, Out<S2Read>& s2, Out<S2Turn>& s2_turn, Out<LabelRead>& black_read, Out<LabelRead>& white_read,
    Out<LabelTurn>& label_turn, Out<Surroundings>& surroundings, Out<Walk>& walk, Out<ScheduleEntry>& entries,
    Out<Counter>& counters, Out<LabelWrite>& black_write, Out<LabelWrite>& white_write,
    Out<EntryWrite>& entry_write) {
  SPA_STATE(Scheduler, self);
  self.run(chain, onward, own, s1, s2, s2_turn, black_read, white_read, label_turn, surroundings, walk, entries,
           counters, black_write, white_write, entry_write);
}
