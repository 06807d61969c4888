// spa_label_mem: current labels of one colour in four banks, and copies of the border labels of the four neighbour
// tiles (BMem, WMem)
//
// While one colour is updated, its memory is only written and that of the other colour only read: each of the two
// does one thing at a time, and the colour switch is the end of a loop. A memory serves no read before all labels of
// its own half-step are there.
#pragma once

#include "spa_types.hpp"

namespace spa {

template <int Colour>
class LabelMem {
 public:
  void run(In<Record, kChainDepth>& chain, Out<Record>& onward, In<LabelRead, kSlotDepth>& read,
           Out<LabelBanks>& banks, In<LabelWrite, kWriteDepth>& write, In<NewLabels, kSlotDepth>& labels,
           In<Border, kLinkDepth>& from_left, In<Border, kLinkDepth>& from_right, In<Border, kLinkDepth>& from_up,
           In<Border, kLinkDepth>& from_down, Out<Border>& to_left, Out<Border>& to_right, Out<Border>& to_up,
           Out<Border>& to_down, Out<Record>& readback) {
    const ac_int<4, false> command = next_command(*this, chain, onward);
    if (command == kReadLabels) read_labels(readback);
    if (command != kRun) return;
    for (Field24 iteration = 0; iteration < parameters_.iterations; iteration++) {
      for (int colour = 0; colour < 2; colour++) {
        for (ac_int<16, false> row = 0; row < parameters_.tile_height; row++) {
          for (ac_int<16, false> group = 0; group < parameters_.groups; group++) {
            if (colour == Colour) {
              const LabelWrite place = get(write);
              const NewLabels fresh  = get(labels);
              for (int j = 0; j < kSpus; j++) {
                const unsigned x = place.x.to_uint() + 2 * j, y = place.y.to_uint();
                const Border border = {!fresh.keep[j], fresh.label[j]};
                if (border.written) bank_[word_of(x, y)][bank_of(x, y)] = border.label;
                // Every SPE is at the same local RV: where one sends, its neighbour on the other side sends, too.
                if (x == 0) exchange(border, to_left, from_right, horizontal_[1], y);
                if (x + 1 == parameters_.tile_width) exchange(border, to_right, from_left, horizontal_[0], y);
                if (y == 0) exchange(border, to_up, from_down, vertical_[1], x);
                if (y + 1 == parameters_.tile_height) exchange(border, to_down, from_up, vertical_[0], x);
              }
            } else {
              SPA_PIPELINE(1)
              for (int j = 0; j < kSpus; j++) put(banks, neighbours(get(read)));
            }
          }
        }
      }
    }
  }

  void load(ac_int<4, false> target, Field24 address, Field24 data) {
    if (target == kLabel) {
      const unsigned word = address.to_uint() / 4 - Colour * kBankDepth;  // huge below the half of this colour
      if (word < kBankDepth) bank_[word][address.to_uint() % 4] = data;
    }
    if (target == kHalo) {
      const unsigned side  = address.slc<2>(22).to_uint();  // left, right, up, down
      const unsigned index = address.slc<22>(0).to_uint();
      if (((index ^ side ^ 1) & 1) == Colour) {
        if (side < 2) horizontal_[side][index / 2] = data;
        else          vertical_[side - 2][index / 2] = data;
      }
    }
    if (target == kParameter) parameters_.load(address, data);
  }

 private:
  static unsigned bank_of(unsigned x, unsigned y) { return ((x + y) / 2 % 2) * 2 + y % 2; }
  unsigned word_of(unsigned x, unsigned y) const { return y / 2 * (parameters_.tile_width.to_uint() / 4) + x / 4; }

  // Of the RVs across a border every second one has this colour.
  static void exchange(const Border& border, Out<Border>& to, In<Border, kLinkDepth>& from, Label* copies,
                       unsigned index) {
    put(to, border);
    const Border other = get(from);
    if (other.written) copies[index / 2] = other.label;
  }

  LabelBanks neighbours(const LabelRead& read) const {
    LabelBanks labels;
    SPA_UNROLL
    for (int b = 0; b < 4; b++) labels.bank[b] = bank_[read.word[b].to_uint()][b];
    labels.horizontal = horizontal_[read.right.to_uint()][read.y.to_uint() / 2];
    labels.vertical   = vertical_[read.down.to_uint()][read.x.to_uint() / 2];
    return labels;
  }

  // A word of the four banks, one byte a label
  void read_labels(Out<Record>& readback) const {
    const int words = parameters_.tile_width.to_int() * parameters_.tile_height.to_int() / 8;
    SPA_PIPELINE(1)
    for (int word = 0; word < words; word++) {
      Record labels = 0;
      SPA_UNROLL
      for (int b = 0; b < 4; b++) labels.set_slc(8 * b, ac_int<8, false>(bank_[word][b]));
      put(readback, labels);
    }
  }

  Parameters parameters_;
  SPA_BANKED(4, 1) Label bank_[kBankDepth][4];
  SPA_MEMORY Label horizontal_[2][kTileHeightMax / 2];  // from the left, from the right
  SPA_MEMORY Label vertical_[2][kTileWidthMax / 2];     // from above, from below
};

typedef LabelMem<0> BMem;
typedef LabelMem<1> WMem;

}  // namespace spa
