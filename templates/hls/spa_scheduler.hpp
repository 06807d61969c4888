// spa_scheduler: walks half-steps, rows, groups and labels of the tile, makes every address and tells every other
// component of the SPE what comes (Scheduler)
//
// It is also the SPE's place in the command chain: records for this SPE go to its components, the others onward.
#pragma once

#include "spa_types.hpp"

namespace spa {

class Scheduler {
 public:
  void run(In<Record, kChainDepth>& chain, Out<Record>& onward, Out<Record>& own, Out<S1Read>& s1, Out<S2Read>& s2,
           Out<S2Turn>& s2_turn, Out<LabelRead>& black_read, Out<LabelRead>& white_read, Out<LabelTurn>& label_turn,
           Out<Surroundings>& surroundings, Out<Walk>& walk, Out<ScheduleEntry>& entries, Out<Counter>& counters,
           Out<LabelWrite>& black_write, Out<LabelWrite>& white_write, Out<EntryWrite>& entry_write) {
    Record record;
    SPA_PIPELINE(1)
    do {
      record = take(chain, onward, own);
    } while (target_of(record) != kCommand || data_of(record) != kRun);

    ScheduleEntry entry = 0;
    Field24 left        = schedule_[0];
    for (Field24 iteration = 0; iteration < parameters_.iterations; iteration++) {
      put(entries, entry);
      cost_ = 0;
      for (int colour = 0; colour < 2; colour++) {
        row_base_ = 0;
        s2_base_  = parameters_.replicate ? parameters_.margin_base : Field24(0);
        for (int y = 0; y < parameters_.tile_height; y++) {
          for (int group = 0; group < parameters_.groups; group++) {
            const int x = 2 * kSpus * group + ((y + colour) & 1);
            if (colour == 0) neighbours(x, y, white_read, label_turn, surroundings);
            else             neighbours(x, y, black_read, label_turn, surroundings);
            put(s1, s1_read(x, y));
            put(counters, counter(x, y, iteration));
            const LabelWrite place = {x, y};
            if (colour == 0) put(black_write, place);
            else             put(white_write, place);
            const EntryWrite write = {row_base_ + x, iteration >= parameters_.burn_in,
                                      iteration == parameters_.burn_in};
            put(entry_write, write);
            labels(x, y, s2, s2_turn, walk);
          }
          row_base_ += parameters_.tile_width;
          s2_base_ += parameters_.s2_stride;
        }
      }
      // The last entry lasts on.
      left -= 1;
      if (left == 0 && entry + 1 < entries_) {
        entry += 1;
        left = schedule_[entry.to_uint()];
      }
    }
  }

 private:
  // ---------------------------------------------------------------- chain
  Record take(In<Record, kChainDepth>& chain, Out<Record>& onward, Out<Record>& own) {
    const Record record = get(chain);
    const SpeField spe  = spe_of(record);
    Record next         = record;
    if (target_of(record) == kEnumerate) {
      behind_ = data_of(record);
      next.set_slc(24, Field24(address_of(record) + 1));
      next.set_slc(0, Field24(behind_ - 1));
    } else if (spe != kAllSpes) {
      next.set_slc(48, SpeField(spe - 1));
    }
    const bool all = target_of(record) == kEnumerate || spe == kAllSpes;
    if (behind_ != 0 && (all || spe != 0)) put(onward, next);
    if (!all && spe != 0) return 0;
    put(own, record);
    load(target_of(record), address_of(record), data_of(record));
    return record;
  }

  void load(ac_int<4, false> target, Field24 address, Field24 data) {
    const unsigned label = address.to_uint() % kLabels;
    if (target == kOrigin) {
      if (address == 0) origin_x_ = data;
      else              origin_y_ = data;
    }
    if (target == kOffset) {
      const unsigned of = address.to_uint() / 2;
      if (address[0] == 0) {
        offset_[of].dx.set_slc(0, data.slc<12>(0));
        offset_[of].dy.set_slc(0, data.slc<12>(12));
      } else {
        offset_[of].row = data;
      }
    }
    if (target == kValue) value_[label] = data;
    if (target == kVector) {
      vector_x_[label] = data.slc<8>(0);
      vector_y_[label] = data.slc<8>(8);
    }
    if (target == kSchedule) {
      schedule_[address.to_uint()] = data;
      entries_                     = address + 1;  // records come in order
    }
    if (target == kParameter) parameters_.load(address, data);
  }

  // ---------------------------------------------------------------- once a slot
  static unsigned bank_of(unsigned x, unsigned y) { return ((x + y) / 2 % 2) * 2 + y % 2; }
  unsigned word_of(unsigned x, unsigned y) const { return y / 2 * (parameters_.tile_width.to_uint() / 4) + x / 4; }

  void neighbours(int x0, int y, Out<LabelRead>& read, Out<LabelTurn>& turn, Out<Surroundings>& surroundings) {
    const int w = parameters_.tile_width.to_int(), h = parameters_.tile_height.to_int();
    Surroundings around;
    SPA_PIPELINE(1)
    for (int j = 0; j < kSpus; j++) {
      const int x  = x0 + 2 * j;
      const int gx = origin_x_.to_int() + x, gy = origin_y_.to_int() + y;
      around.exists[j][0] = gx > 0;
      around.exists[j][1] = gx + 1 < parameters_.width;
      around.exists[j][2] = gy > 0;
      around.exists[j][3] = gy + 1 < parameters_.height;

      // Each neighbour is in a bank of its own; what lies beyond the tile is not read from a bank.
      const int nx[4] = {x - 1, x + 1, x, x}, ny[4] = {y, y, y - 1, y + 1};
      const bool beyond[4] = {x == 0, x + 1 == w, y == 0, y + 1 == h};
      LabelRead addresses;
      LabelTurn halo;
      halo.bank = bank_of(x - 1, y);
      SPA_UNROLL
      for (int b = 0; b < 4; b++) addresses.word[b] = 0;
      SPA_UNROLL
      for (int n = 0; n < 4; n++) {
        halo.halo[n] = beyond[n];
        if (!beyond[n]) addresses.word[bank_of(nx[n], ny[n])] = word_of(nx[n], ny[n]);
      }
      addresses.right = x != 0;
      addresses.down  = y != 0;
      addresses.x     = x;
      addresses.y     = y;
      put(read, addresses);
      put(turn, halo);
    }
    put(surroundings, around);
  }

  S1Read s1_read(int x, int y) const {
    S1Read read;
    read.address = row_base_ + x;
    read.inside  = 0;
    SPA_UNROLL
    for (int j = 0; j < kSpus; j++) {
      read.inside[j] = origin_x_ + x + 2 * j < parameters_.width && origin_y_ + y < parameters_.height;
    }
    return read;
  }

  Counter counter(int x, int y, Field24 iteration) const {
    const ac_int<17, false> gx = origin_x_ + x, gy = origin_y_ + y;
    Counter c;
    c.c0 = 0;
    c.c0.set_slc(0, (gx + gy).slc<1>(0));
    c.c0.set_slc(1, gx.slc<14>(2));
    c.c0.set_slc(15, gy);
    c.c1 = iteration;
    c.c1.set_slc(24, parameters_.chain);
    c.second = gx.slc<1>(1);
    return c;
  }

  // ---------------------------------------------------------------- once a label
  void labels(int x, int y, Out<S2Read>& s2, Out<S2Turn>& s2_turn, Out<Walk>& walk) {
    SPA_PIPELINE(1)
    for (ac_int<9, false> l = 0; l < parameters_.labels; l++) {
      const unsigned label = l.to_uint();
      Walk own;
      own.label = label;
      own.vx    = vector_x_[label];
      own.vy    = vector_y_[label];
      S2Read read;
      S2Turn turn;
      nowhere(read, turn);
      own.outside = 0;
      if (parameters_.s2_mode == 0) {
        sample(x, y, offset_[label], read, turn);
        own.outside = outside(x, y, offset_[label]);
      }
      turn.use_value = parameters_.s2_mode == 1;
      turn.value     = value_[label];
      // Costs lie in the order of the slots.
      turn.cost = parameters_.s2_mode == 2;
      if (turn.cost) read.cost = cost_;
      cost_ += 1;
      put(s2, read);
      put(s2_turn, turn);
      put(walk, own);
    }
  }

  struct Offset {
    ac_int<12, true> dx, dy;
    Field24 row;  // dy * s2_stride
  };

  static void nowhere(S2Read& read, S2Turn& turn) {
    SPA_UNROLL
    for (int bank = 0; bank < kSpus; bank++) read.word[bank] = 0;
    read.cost = 0;
    turn.bank = 0;
    turn.left = turn.right = 0;
    turn.up = turn.down = 0;
  }

  // Samples of one label lie in two consecutive groups of 2 kSpus columns, and each group in one tile.
  void sample(int x, int y, const Offset& offset, S2Read& read, S2Turn& turn) const {
    const bool links     = kS2Links && !parameters_.replicate;
    const int groups     = parameters_.groups.to_int(), height = parameters_.tile_height.to_int();
    const int column     = x + offset.dx.to_int() + (links ? 0 : parameters_.margin_left.to_int());
    const int row        = y + offset.dy.to_int();
    const int bank       = (column >> 1) & (kSpus - 1);
    const int group      = column >> (1 + kLogSpus);
    ac_int<24, true> base = s2_base_ + offset.row;
    int word[2], beyond[2];
    SPA_UNROLL
    for (int i = 0; i < 2; i++) {
      beyond[i] = !links ? 0 : group + i < 0 ? -1 : group + i >= groups ? 1 : 0;
      word[i]   = (group + i - beyond[i] * groups) * 2 + (column & 1);
    }
    turn.bank = bank;
    if (links) {
      turn.up   = row < 0;
      turn.down = row >= height;
      if (turn.up) base += parameters_.s2_wrap;
      if (turn.down) base -= parameters_.s2_wrap;
    }
    SPA_UNROLL
    for (int i = 0; i < kSpus; i++) {
      // Banks below that of SPU 0 serve the SPUs that have passed into the second group.
      read.word[i]  = base + word[i < bank];
      const int of  = beyond[bank + i >= kSpus];
      turn.left[i]  = of < 0;
      turn.right[i] = of > 0;
    }
  }

  LaneBits outside(int x, int y, const Offset& offset) const {
    const int sy = origin_y_.to_int() + y + offset.dy.to_int();
    LaneBits out = 0;
    SPA_UNROLL
    for (int j = 0; j < kSpus; j++) {
      const int sx = origin_x_.to_int() + x + 2 * j + offset.dx.to_int();
      out[j] = sx < 0 || sx >= parameters_.width || sy < 0 || sy >= parameters_.height;
    }
    return out;
  }

  Parameters parameters_;
  ac_int<12, false> behind_ = 0;  // SPEs further down the chain
  ac_int<16, false> origin_x_, origin_y_;
  ac_int<9, false> entries_;
  Field24 row_base_, s2_base_;    // y * tile width, y * stride of S2Mem
  ac_int<kCostBits + 1, false> cost_;
  SPA_MEMORY Field24 schedule_[kScheduleEntries];
  SPA_MEMORY Offset offset_[kLabels];
  SPA_MEMORY ac_int<8, false> value_[kLabels];
  SPA_MEMORY ac_int<kVxBits, false> vector_x_[kLabels];
  SPA_MEMORY ac_int<kVyBits, false> vector_y_[kLabels];
};

}  // namespace spa
