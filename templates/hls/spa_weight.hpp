// spa_weight: scaled energies, weights of the labels and their sums (SPU, Eq. 3.2 to 3.4)
#pragma once

#include "spa_types.hpp"

namespace spa {

class WeightStage {
 public:
  void run(In<Record, kChainDepth>& chain, Out<Record>& onward, In<Energies, 2 * kLabels>& energies,
           In<Energies, kSlotDepth>& least, In<ScheduleEntry, kSlotDepth>& entries, Out<Weights>& weights,
           Out<Sums>& sums) {
    if (next_command(*this, chain, onward) != kRun) return;
    for (Field24 iteration = 0; iteration < parameters_.iterations; iteration++) {
      const ScheduleEntry entry = get(entries);
      take_over(entry);
      for (ac_int<17, false> row = 0; row < 2 * parameters_.tile_height; row++) {
        for (ac_int<16, false> group = 0; group < parameters_.groups; group++) {
          const Energies lowest = get(least);
          Sums total;
          SPA_UNROLL
          for (int j = 0; j < kSpus; j++) total.sum[j] = 0;
          SPA_PIPELINE(1)
          for (ac_int<9, false> label = 0; label < parameters_.labels; label++) {
            const Energies e = get(energies);
            Weights w;
            SPA_UNROLL
            for (int j = 0; j < kSpus; j++) {
              w.weight[j] = weight(e.energy[j] - lowest.energy[j], entry);
              total.sum[j] += w.weight[j];
            }
            put(weights, w);
          }
          put(sums, total);
        }
      }
    }
  }

  void load(ac_int<4, false> target, Field24 address, Field24 data) {
    if (target == kWeight) {
      if (kLinear) table_[address.to_uint()] = data;
      else         threshold_[address.to_uint()] = data;
    }
    if (target == kParameter) parameters_.load(address, data);
  }

 private:
  // The thresholds of an iteration, all at once in registers
  void take_over(ScheduleEntry entry) {
    SPA_PIPELINE(1)
    for (int k = 0; k < kPBits; k++) current_[k] = threshold_[entry.to_uint() * 16 + k];
  }

  // pow2: 2^k for the largest k whose threshold the scaled energy is below. Thresholds fall with k.
  Weight weight(Energy scaled, ScheduleEntry entry) const {
    if (kLinear) return table_[entry.to_uint() * kTableRow + scaled.to_uint()];
    Weight w = 0;
    SPA_UNROLL
    for (int k = 0; k < kPBits; k++) {
      if (scaled < current_[k]) w = Weight(1) << k;
    }
    return w;
  }

  enum { kTableRow = kLinear ? 1 << kEnergyBits : 0 };

  Parameters parameters_;
  SPA_MEMORY ac_int<kEnergyBits + 1, false> threshold_[kScheduleEntries * 16];  // {entry, k}
  SPA_REGISTERS ac_int<kEnergyBits + 1, false> current_[kPBits];
  SPA_COPIES(kSpus) Weight table_[kLinear ? kScheduleEntries << kEnergyBits : 1];
};

}  // namespace spa
