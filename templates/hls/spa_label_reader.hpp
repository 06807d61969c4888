// spa_label_reader: the labels of this SPE, then those of the SPEs behind it
#pragma once

#include "spa_types.hpp"

namespace spa {

class LabelReader {
 public:
  void run(In<Record, kChainDepth>& chain, In<Record, kSlotDepth>& black, In<Record, kSlotDepth>& white,
           In<Record, kSlotDepth>& behind, Out<Record>& labels) {
    Record record;
    SPA_PIPELINE(1)
    do {
      record = get(chain);
      load(target_of(record), address_of(record), data_of(record));
    } while (target_of(record) != kCommand);
    if (data_of(record) != kReadLabels) return;

    const int words = parameters_.tile_width.to_int() * parameters_.tile_height.to_int() / 8;
    SPA_PIPELINE(1)
    for (int word = 0; word < words; word++) put(labels, get(black));
    SPA_PIPELINE(1)
    for (int word = 0; word < words; word++) put(labels, get(white));
    for (int spe = 0; spe < behind_; spe++) {
      SPA_PIPELINE(1)
      for (int word = 0; word < 2 * words; word++) put(labels, get(behind));
    }
  }

 private:
  void load(ac_int<4, false> target, Field24 address, Field24 data) {
    if (target == kEnumerate) behind_ = data;
    if (target == kParameter) parameters_.load(address, data);
  }

  Parameters parameters_;
  ac_int<12, false> behind_ = 0;
};

}  // namespace spa
