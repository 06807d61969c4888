// spa_energy: energies of the labels of a slot's RVs, and the least of each RV (SPU, Eq. 3.1)
#pragma once

#include "spa_types.hpp"

namespace spa {

class EnergyStage {
 public:
  void run(In<Record, kChainDepth>& chain, Out<Record>& onward, In<S1Samples, kSlotDepth>& s1,
           In<Neighbours, kSlotDepth>& neighbours, In<Surroundings, kSlotDepth>& surroundings,
           In<Walk, kLabelDepth>& walk, In<Samples, kLabelDepth>& s2, Out<Energies>& energies, Out<Energies>& least) {
    if (next_command(*this, chain, onward) != kRun) return;
    for (Field24 iteration = 0; iteration < parameters_.iterations; iteration++) {
      for (ac_int<17, false> row = 0; row < 2 * parameters_.tile_height; row++) {
        for (ac_int<16, false> group = 0; group < parameters_.groups; group++) {
          const S1Samples first     = get(s1);
          const Neighbours labels   = get(neighbours);
          const Surroundings around = get(surroundings);
          Vector vectors[kSpus][4];
          Energies lowest;
          for (int j = 0; j < kSpus; j++) {
            SPA_UNROLL
            for (int n = 0; n < 4; n++) vectors[j][n] = vector_[labels.label[j][n].to_uint()];
            lowest.energy[j] = kEnergyMax;
          }
          SPA_PIPELINE(1)
          for (ac_int<9, false> label = 0; label < parameters_.labels; label++) {
            const Walk own       = get(walk);
            const Samples second = get(s2);
            Energies e;
            SPA_UNROLL
            for (int j = 0; j < kSpus; j++) {
              const ac_int<16, false> s = singleton(first.s1[j], second.sample[j], own.outside[j]);
              const ac_int<14, false> v =
                  pairs(own, vectors[j], labels.label[j], around.exists[j], first.edges[j]);
              const ac_int<25, false> sum = (parameters_.alpha * s + parameters_.beta * v) >> parameters_.shift;
              e.energy[j] = sum > kEnergyMax ? Energy(kEnergyMax) : Energy(sum);
              if (e.energy[j] < lowest.energy[j]) lowest.energy[j] = e.energy[j];
            }
            put(energies, e);
          }
          put(least, lowest);
        }
      }
    }
  }

  void load(ac_int<4, false> target, Field24 address, Field24 data) {
    if (target == kVector) {
      vector_[address.to_uint()].x = data.slc<8>(0);
      vector_[address.to_uint()].y = data.slc<8>(8);
    }
    if (kPairTable && target == kPair) pair_[address.to_uint()] = data;
    if (target == kParameter) parameters_.load(address, data);
  }

 private:
  enum { kEnergyMax = (1 << kEnergyBits) - 1 };

  struct Vector {
    ac_int<kVxBits, false> x;
    ac_int<kVyBits, false> y;
  };

  ac_int<16, false> singleton(ac_int<kSingletonBits, false> s1, Sample s2, bool outside) const {
    ac_int<16, false> f = s2;
    if (!kSingletonTable || parameters_.s2_mode != 2) {
      const ac_int<kSingletonBits, false> other = s2;
      const ac_int<kSingletonBits, false> d     = s1 > other ? s1 - other : other - s1;
      f = parameters_.squared ? ac_int<16, false>(d * d) : ac_int<16, false>(d);
    }
    if (outside) return parameters_.s_outside;
    return f > parameters_.data_cap ? parameters_.data_cap : f;
  }

  // Sum over the neighbours that exist
  ac_int<14, false> pairs(const Walk& own, const Vector* vectors, const Label* labels, ac_int<4, false> exists,
                          ac_int<16, false> edges) const {
    ac_int<14, false> sum = 0;
    SPA_UNROLL
    for (int n = 0; n < 4; n++) {
      const ac_int<8, false> v = pair(own, vectors[n], labels[n]);
      const ac_int<4, false> w = edges.slc<4>(4 * n);
      if (exists[n]) sum += kEdgeWeights ? ac_int<12, false>(w * v) : ac_int<12, false>(v);
    }
    return sum;
  }

  ac_int<8, false> pair(const Walk& own, const Vector& other, Label other_label) const {
    const ac_int<kVxBits, false> dx = own.vx > other.x ? own.vx - other.x : other.x - own.vx;
    const ac_int<kVyBits, false> dy = own.vy > other.y ? own.vy - other.y : other.y - own.vy;
    ac_int<17, false> f;
    switch (parameters_.pair_form.to_int()) {
      case 0: f = dx + dy; break;
      case 1: f = dx * dx + dy * dy; break;
      case 2: f = dx == 0 && dy == 0 ? 0 : 255; break;
      default: f = kPairTable ? pair_[own.label.to_uint() * kPairRow + other_label.to_uint()] : ac_int<8, false>(0);
    }
    return f > parameters_.pair_cap ? parameters_.pair_cap : ac_int<8, false>(f);
  }

  enum { kPairRow = kPairTable ? kLabels : 0 };

  Parameters parameters_;
  SPA_COPIES(4) Vector vector_[kLabels];
  // One look-up for each neighbour of each SPU
  SPA_COPIES(4 * kSpus) ac_int<8, false> pair_[kPairTable ? kLabels * kLabels : 1];
};

}  // namespace spa
