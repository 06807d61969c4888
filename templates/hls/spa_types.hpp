// spa_types: widths, records of the command chain, and what travels between the components of an SPE
#pragma once

#include "spa_platform.hpp"

namespace spa {

// Bits that hold 0 to n - 1, at least one.
constexpr int bits_for(long n) { return n <= 2 ? 1 : 1 + bits_for((n + 1) / 2); }
constexpr int log2_of(int n) { return n <= 1 ? 0 : 1 + log2_of(n / 2); }

constexpr int kSpes       = kRows * kCols;
constexpr int kLogSpus    = log2_of(kSpus);
constexpr int kLabels     = 1 << kLabelBits;
constexpr int kBankDepth  = kRvCapacity / 8;  // of one colour
constexpr int kS2Depth    = kS2Capacity / kSpus;
constexpr int kCostDepth  = kSingletonTable ? kCostCapacity / kSpus : 1;
constexpr int kSpeBits    = bits_for(kSpes);
constexpr int kRvBits     = bits_for(kRvCapacity);
constexpr int kBankBits   = bits_for(kBankDepth);
constexpr int kS2Bits     = bits_for(kS2Depth);
constexpr int kCostBits   = bits_for(kCostDepth);
constexpr int kXBits      = bits_for(kTileWidthMax);
constexpr int kYBits      = bits_for(kTileHeightMax);
constexpr int kVxBits     = kLabelBits;
constexpr int kVyBits     = (kLabelBits + 1) / 2;
constexpr int kSampleBits = kSingletonTable ? 16 : kSingletonBits;  // a cost takes the way of a sample
constexpr int kSumBits    = kLabelBits + kPBits;
constexpr int kEntryBits  = bits_for(kScheduleEntries);
constexpr int kSlots      = kLineBits / kMessageBits;  // messages of a line

typedef ac_int<1, false> Bit;
typedef ac_int<kSpus, false> LaneBits;  // one bit for each SPU
typedef ac_int<kLabelBits, false> Label;
typedef ac_int<kRvBits, false> RvAddress;
typedef ac_int<kSampleBits, false> Sample;
typedef ac_int<kEnergyBits, false> Energy;
typedef ac_int<kPBits, false> Weight;
typedef ac_int<kSumBits, false> Sum;
typedef ac_int<kEntryBits, false> ScheduleEntry;
typedef ac_int<kMessageBits, false> Message;
typedef ac_int<kLineBits, false> Word;

// A line of memory.
struct Line {
  Word bits;
};

// ---------------------------------------------------------------- command chain
// {target[63:60], SPE[59:48], address[47:24], data[23:0]}: the load records of the RTL, and three targets more. Records
// pass from SPE to SPE, which count the SPE number down: the one that sees 0 takes it.
typedef ac_int<64, false> Record;
typedef ac_int<12, false> SpeField;
typedef ac_int<24, false> Field24;

enum Target {
  kS1        = 0,
  kS2        = 1,
  kLabel     = 2,
  kHalo      = 3,
  kOrigin    = 4,
  kOffset    = 5,
  kValue     = 6,
  kVector    = 7,
  kWeight    = 8,
  kPair      = 9,
  kCost      = 10,
  kSchedule  = 11,
  kEdge      = 12,
  kEnumerate = 13,  // address: number of the first SPE, data: SPEs behind it
  kParameter = 14,  // address: which
  kCommand   = 15   // data: Command
};

enum Command { kNothing = 0, kRun = 1, kDrain = 2, kReadLabels = 3 };

constexpr int kAllSpes = 0xFFF;

inline ac_int<4, false> target_of(const Record& record) { return record.slc<4>(60); }
inline SpeField spe_of(const Record& record) { return record.slc<12>(48); }
inline Field24 address_of(const Record& record) { return record.slc<24>(24); }
inline Field24 data_of(const Record& record) { return record.slc<24>(0); }

// Run parameters, as in the register map of the RTL.
struct Parameters {
  ac_int<17, false> width, height;
  ac_int<16, false> tile_width, tile_height, groups;
  ac_int<9, false> labels;
  ac_int<8, false> alpha, beta;
  ac_int<4, false> shift;
  ac_int<16, false> data_cap, s_outside;
  Bit squared;
  ac_int<2, false> s2_mode;    // 0 sample at the label's offset, 1 value of the label, 2 cost table
  ac_int<2, false> pair_form;  // 0 abs, 1 squared, 2 Potts, 3 table
  ac_int<8, false> pair_cap;
  Bit replicate;
  ac_int<16, false> s2_stride;
  Field24 s2_wrap;
  ac_int<12, false> margin_left, margin_up;
  Field24 margin_base;
  ac_int<64, false> seed;
  ac_int<8, false> chain;
  Field24 iterations, burn_in;

  void load(const Field24& address, const Field24& data) {
    switch (address.to_int()) {
      case 0: width = data; break;
      case 1: height = data; break;
      case 2: tile_width = data; break;
      case 3: tile_height = data; break;
      case 4: groups = data; break;
      case 5: labels = data; break;
      case 6: alpha = data; break;
      case 7: beta = data; break;
      case 8: shift = data; break;
      case 9: data_cap = data; break;
      case 10: s_outside = data; break;
      case 11: squared = data; break;
      case 12: s2_mode = data; break;
      case 13: pair_form = data; break;
      case 14: pair_cap = data; break;
      case 15: replicate = data; break;
      case 16: s2_stride = data; break;
      case 17: s2_wrap = data; break;
      case 18: margin_left = data; break;
      case 19: margin_up = data; break;
      case 20: margin_base = data; break;
      case 21: seed.set_slc(0, data); break;
      case 22: seed.set_slc(24, data); break;
      case 23: seed.set_slc(48, data.slc<16>(0)); break;
      case 24: chain = data; break;
      case 25: iterations = data; break;
      case 26: burn_in = data; break;
      default: break;
    }
  }
};

// Takes records for `part` until a command comes, and passes all of them on.
template <class Part>
ac_int<4, false> next_command(Part& part, In<Record, kChainDepth>& chain, Out<Record>& onward) {
  Record record;
  SPA_PIPELINE(1)
  do {
    record = get(chain);
    put(onward, record);
    part.load(target_of(record), address_of(record), data_of(record));
  } while (target_of(record) != kCommand);
  return data_of(record);
}

// ---------------------------------------------------------------- streams of an SPE
// A slot updates kSpus RVs of one colour: SPU j has column x + 2j.

struct S1Read {            // Scheduler -> S1Mem, a slot
  RvAddress address;       // of SPU 0
  LaneBits inside;         // not padding
};

struct S1Samples {         // S1Mem -> energy, a slot
  ac_int<kSingletonBits, false> s1[kSpus];
  ac_int<16, false> edges[kSpus];  // weights {down, up, right, left}
};

struct S2Read {            // Scheduler -> S2Mem, a label
  ac_int<kS2Bits, false> word[kSpus];  // by bank
  ac_int<kCostBits, false> cost;
};

struct Samples {           // S2Mem -> S2Mem switch -> energy, a label
  Sample sample[kSpus];
};

struct S2Turn {            // Scheduler -> S2Mem switch, a label
  ac_int<kLogSpus + 1, false> bank;    // of SPU 0
  LaneBits left, right;    // the sample lies in that neighbour's column of tiles
  Bit up, down;
  Bit cost;                // costs lie by SPU, not by column
  Bit use_value;
  ac_int<kSingletonBits, false> value;
};

struct LabelRead {         // Scheduler -> BMem or WMem, an RV
  ac_int<kBankBits, false> word[4];
  Bit right, down;         // sides of the copies
  ac_int<kXBits, false> x;
  ac_int<kYBits, false> y;
};

struct LabelBanks {        // BMem or WMem -> label switch, an RV
  Label bank[4];
  Label horizontal, vertical;
};

struct LabelTurn {         // Scheduler -> label switch, an RV
  ac_int<2, false> bank;   // of the left neighbour
  ac_int<4, false> halo;   // neighbours beyond the tile {down, up, right, left}
};

struct Neighbours {        // label switch -> energy, a slot: left, right, up, down
  Label label[kSpus][4];
};

struct Surroundings {      // Scheduler -> energy, a slot: neighbours that exist {down, up, right, left}
  ac_int<4, false> exists[kSpus];
};

struct Walk {              // Scheduler -> energy, a label
  Label label;
  ac_int<kVxBits, false> vx;
  ac_int<kVyBits, false> vy;
  LaneBits outside;        // the sample is outside the field
};

struct Energies {          // energy -> weight, a label; and the least one of a slot
  Energy energy[kSpus];
};

struct Weights {           // weight -> select, a label
  Weight weight[kSpus];
};

struct Counter {           // Scheduler -> draw, a slot: Threefry counter of SPU 0
  ac_int<32, false> c0, c1;
  Bit second;              // one SPU: which word of the block
};

struct Sums {              // weight -> draw -> select, a slot
  Sum sum[kSpus];
};

struct NewLabels {         // select -> BMem or WMem, label entry, a slot
  Label label[kSpus];
  LaneBits keep;           // evidence and padding
};

struct LabelWrite {        // Scheduler -> BMem or WMem, a slot
  ac_int<kXBits, false> x; // of SPU 0
  ac_int<kYBits, false> y;
};

struct Border {            // a label written at the border of a tile, for the neighbour's copy
  Bit written;
  Label label;
};

struct EntryWrite {        // Scheduler -> label entry, a slot
  RvAddress address;       // of SPU 0
  Bit collect;
  Bit first;               // first collected iteration: the old entry does not count
};

}  // namespace spa
