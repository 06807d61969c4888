// spa_rng: Threefry-2x32 with 13 rounds
#pragma once

#include "spa_types.hpp"

namespace spa {

typedef ac_int<32, false> Word32;

struct Block {
  Word32 word[2];
};

inline Block threefry(const ac_int<64, false>& seed, const Word32& c0, const Word32& c1) {
  const int rotation[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const Word32 parity   = 0x1BD11BDA;

  Word32 key[3] = {seed.slc<32>(0), seed.slc<32>(32), 0};
  key[2] = key[0] ^ key[1] ^ parity;

  Word32 a = c0 + key[0], b = c1 + key[1];
  SPA_UNROLL
  for (int round = 0; round < 13; round++) {
    const int r = rotation[round % 8];
    a += b;
    b = ((b << r) | (b >> (32 - r))) ^ a;
    if (round % 4 == 3) {
      const int injection = round / 4 + 1;
      a += key[injection % 3];
      b += key[(injection + 1) % 3] + injection;
    }
  }
  const Block block = {{a, b}};
  return block;
}

}  // namespace spa
