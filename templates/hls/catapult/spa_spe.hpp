// spa_spe: stochastic processing element: the components of Figure 3.5 and the streams between them (SPE)
#pragma once

#include "spa_draw.hpp"
#include "spa_energy.hpp"
#include "spa_entry_mem.hpp"
#include "spa_label_mem.hpp"
#include "spa_label_reader.hpp"
#include "spa_label_switch.hpp"
#include "spa_s1mem.hpp"
#include "spa_s2_switch.hpp"
#include "spa_s2mem.hpp"
#include "spa_scheduler.hpp"
#include "spa_select.hpp"
#include "spa_weight.hpp"

namespace spa {

// Streams from one SPE to its neighbour on one side
struct Link {
  ac_channel<Samples> s2;
  ac_channel<Border> black, white;
};

class Spe {
 public:
  void CCS_BLOCK(run)(ac_channel<Record>& chain, ac_channel<Record>& onward, ac_channel<Record>& behind,
                      ac_channel<Record>& labels, Link& from_left, Link& from_right, Link& from_up, Link& from_down,
                      Link& to_left, Link& to_right, Link& to_up, Link& to_down, ac_channel<Message>& messages) {
    SPA_BLOCK(scheduler_.run(chain, onward, chain_[0], s1_read_, s2_read_, s2_turn_, black_read_, white_read_,
                             label_turn_, surroundings_, walk_, entries_, counters_, black_write_, white_write_,
                             entry_write_));
    SPA_BLOCK(s1mem_.run(chain_[0], chain_[1], s1_read_, s1_, keep_));
    SPA_BLOCK(s2mem_.run(chain_[1], chain_[2], s2_read_, s2_banks_));
    if (kS2Links) {
      SPA_BLOCK(s2_switch_.run(chain_[2], chain_[3], s2_banks_, s2_turn_, from_left.s2, from_right.s2, from_up.s2,
                               from_down.s2, to_left.s2, to_right.s2, to_up.s2, to_down.s2, s2_));
    } else {
      SPA_BLOCK(s2_switch_.run(chain_[2], chain_[3], s2_banks_, s2_turn_, s2_));
    }
    SPA_BLOCK(bmem_.run(chain_[3], chain_[4], black_read_, black_banks_, black_write_, black_labels_,
                        from_left.black, from_right.black, from_up.black, from_down.black, to_left.black,
                        to_right.black, to_up.black, to_down.black, black_out_));
    SPA_BLOCK(wmem_.run(chain_[4], chain_[5], white_read_, white_banks_, white_write_, white_labels_,
                        from_left.white, from_right.white, from_up.white, from_down.white, to_left.white,
                        to_right.white, to_up.white, to_down.white, white_out_));
    SPA_BLOCK(label_switch_.run(chain_[5], chain_[6], black_banks_, white_banks_, label_turn_, neighbours_));
    SPA_BLOCK(energy_.run(chain_[6], chain_[7], s1_, neighbours_, surroundings_, walk_, s2_, energies_, least_));
    SPA_BLOCK(weight_.run(chain_[7], chain_[8], energies_, least_, entries_, weights_, sums_));
    SPA_BLOCK(draw_.run(chain_[8], chain_[9], counters_, sums_, draws_));
    SPA_BLOCK(select_.run(chain_[9], chain_[10], weights_, draws_, keep_, black_labels_, white_labels_,
                          entry_labels_));
    SPA_BLOCK(entry_mem_.run(chain_[10], chain_[11], entry_write_, entry_labels_, messages));
    SPA_BLOCK(label_reader_.run(chain_[11], black_out_, white_out_, behind, labels));
  }

 private:
  Scheduler scheduler_;
  S1Mem s1mem_;
  S2Mem s2mem_;
  S2Switch s2_switch_;
  BMem bmem_;
  WMem wmem_;
  LabelSwitch label_switch_;
  EnergyStage energy_;
  WeightStage weight_;
  DrawStage draw_;
  SelectStage select_;
  EntryMem entry_mem_;
  LabelReader label_reader_;

  ac_channel<Record> chain_[12], black_out_, white_out_;
  ac_channel<S1Read> s1_read_;
  ac_channel<S1Samples> s1_;
  ac_channel<LaneBits> keep_;
  ac_channel<S2Read> s2_read_;
  ac_channel<S2Turn> s2_turn_;
  ac_channel<Samples> s2_banks_, s2_;
  ac_channel<LabelRead> black_read_, white_read_;
  ac_channel<LabelBanks> black_banks_, white_banks_;
  ac_channel<LabelWrite> black_write_, white_write_;
  ac_channel<NewLabels> black_labels_, white_labels_, entry_labels_;
  ac_channel<LabelTurn> label_turn_;
  ac_channel<Neighbours> neighbours_;
  ac_channel<Surroundings> surroundings_;
  ac_channel<Walk> walk_;
  ac_channel<Energies> energies_, least_;
  ac_channel<ScheduleEntry> entries_;
  ac_channel<Weights> weights_;
  ac_channel<Sums> sums_, draws_;
  ac_channel<Counter> counters_;
  ac_channel<EntryWrite> entry_write_;
};

}  // namespace spa
