// A draw among all labels of a RV by one thread, two to four labels an instruction.
//
// First pass: four bytes of alpha*S and of beta*sum V (rows of one table in shared memory) are added as they are, so that four
// energies are one word; where that could overflow, two at a time (samples.cuh). Second pass: two energies become two weights as
// half precision (packed.cuh, `half_weights`). Sums of 16 weights are exact in half precision; the draw descends through their tree.

// Words of energies: a word of four labels, or (SPA_SUMS 2) two words of two each: labels 0, 2 and 1, 3.
#define PER_QUAD (SPA_SUMS == 2 ? 2 : 1)
#define ENERGIES (QUADS * PER_QUAD)

__device__ __forceinline__ u32 even_bytes(u32 v) { return v & 0x00ff00ffu; }

__device__ __forceinline__ u32 odd_bytes(u32 v) { return prmt(v, 0, 0x4341); }

// Energies of four labels from their alpha*S and beta*sum V. WIDE: sums may be above 255. Labels beyond L have at least 255.
template <bool WIDE>
__device__ __forceinline__ void four_energies(u32 s, u32 v, int q, u32 (&e)[ENERGIES]) {
    const u32 beyond = q == QUADS - 1 && (SPA_LABELS & 3) ? FULL << 8 * (SPA_LABELS & 3) : 0;
    if (!WIDE) {
        e[q] = s + v | beyond;
        return;
    }
    const u32 even = __viaddmin_u16x2(even_bytes(s), even_bytes(v), 0x00ff00ffu) | even_bytes(beyond);
    const u32 odd = __viaddmin_u16x2(odd_bytes(s), odd_bytes(v), 0x00ff00ffu) | (beyond ? odd_bytes(beyond) : 0u);
    if (PER_QUAD == 2) {
        e[PER_QUAD * q] = even;
        e[PER_QUAD * q + PER_QUAD - 1] = odd;
    } else {
        e[q] = prmt(even, odd, 0x6240);
    }
}

__device__ __forceinline__ u32 least_of(const u32 (&e)[ENERGIES]) {
    // Of two bytes in a half the upper one decides: so the least odd label; the even ones apart.
    const int first = ENERGIES & 1 ? 1 : 2;
    u32 best = __vminu2(e[0], e[first - 1]), even = __vminu2(even_bytes(e[0]), even_bytes(e[first - 1]));
#pragma unroll
    for (int k = first; k < ENERGIES; k += 2) {
        best = __vimin3_u16x2(best, e[k], e[k + 1]);
        if (PER_QUAD == 1) even = __vimin3_u16x2(even, even_bytes(e[k]), even_bytes(e[k + 1]));
    }
    if (PER_QUAD == 1) best = __vminu2(odd_bytes(best), even);
    return min(best & 0xffffu, best >> 16);
}

// Energies of all labels of RVs side by side, ascending, and the least of each.
template <bool WIDE>
__device__ __forceinline__ void all_energies(const Tables &t, const u32 (&s)[AT_ONCE][QUADS],
                                             const Beside &b, u32 (&e)[AT_ONCE][ENERGIES], u32 (&least)[AT_ONCE]) {
    const u8 *rows = t.pair + threadIdx.x % SPA_COPIES * 16u;
#pragma unroll
    for (int c = 0; c < CHUNKS; ++c) {
        uint4 row[AT_ONCE + 1];
#pragma unroll
        for (u32 n = 0; n <= AT_ONCE; ++n) row[n] = *(const uint4 *)(rows + b.row[n] * PAIR_ROW + PAIR_CHUNK * c);
#pragma unroll
        for (u32 n = 0; n < AT_ONCE; ++n) {
            const uint4 u = *(const uint4 *)(rows + b.up[n] * PAIR_ROW + PAIR_CHUNK * c);
            const uint4 d = *(const uint4 *)(rows + b.down[n] * PAIR_ROW + PAIR_CHUNK * c);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const int q = 4 * c + k;
                if (q < QUADS)
                    four_energies<WIDE>(s[n][q], at(row[n], k) + at(row[n + 1], k) + at(u, k) + at(d, k), q, e[n]);
            }
        }
    }
#pragma unroll
    for (u32 n = 0; n < AT_ONCE; ++n) least[n] = least_of(e[n]);
}

// Whether two labels are added at a time, wide or not: always (SPA_SUMS 2), or (3) where energies of some RV of these lanes could pass 255
// beside its neighbours. Behind its last label a row has the most of them. Asked of all lanes, or many would take both ways.
__device__ __forceinline__ bool adds_two(const PackedParams &p, const Tables &t, const Beside &b) {
    if (SPA_SUMS != 3) return SPA_SUMS == 2;
    const u8 *most = t.pair + threadIdx.x % SPA_COPIES * 16u + SPA_LABELS / 16 * PAIR_CHUNK + SPA_LABELS % 16;
    bool crowded = false;
#pragma unroll
    for (u32 n = 0; n < AT_ONCE; ++n) {
        const u32 sides = most[b.row[n] * PAIR_ROW] + most[b.row[n + 1] * PAIR_ROW];
        crowded |= sides + most[b.up[n] * PAIR_ROW] + most[b.down[n] * PAIR_ROW] > p.narrow;
    }
    return __any_sync(__activemask(), crowded);
}

// Weights of four labels in units of 2^-14 as half precision: of labels 0, 2 and 1, 3.
template <bool LINE>
__device__ __forceinline__ uint2 four_weights(const PackedParams &p, const Tables &t, const Line &line, u32 least,
                                              u32 even, u32 odd, int q) {
    u32 w[2] = {even, odd};
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        w[k] = LINE ? half_weights(p, line, least, w[k]) : looked_up_weights(t, line, least, w[k]);
    }
    if (q == QUADS - 1 && (SPA_LABELS & 3)) {
        if ((SPA_LABELS & 3) < 2) w[1] = 0;
        if ((SPA_LABELS & 3) < 3) w[0] &= 0xffffu;
        w[1] &= 0xffffu;
    }
    return make_uint2(w[0], w[1]);
}

// A sum of weights in whole units of 2^-14, below 2^23 of them: the last bits of a number that is as large as its last bit is a unit.
// Conversions would take ten times as long.
__device__ __forceinline__ u32 units(float sum) { return __float_as_uint(sum + 512.0f) - __float_as_uint(512.0f); }

__device__ __forceinline__ float from_units(u32 n) { return __uint_as_float(n + __float_as_uint(512.0f)) - 512.0f; }

// Which random words draw the same label again as long as the weights are the same, by their top seven bits: those from 128 - from on, but
// for the last `rest`. 0: no word is sure to; 128 and 0: all of them do, for no other label lives.
struct Stay {
    u32 from, rest;
};

// As many 128ths of `total`, rounded up, as a part of it is that weighs 2^-13 of it or more, or nothing.
__device__ __forceinline__ u32 parts_of(float part, float scale) { return __float_as_uint(part * scale + 0.5f + 8388608.0f) & 255u; }

// Of a label of weight `own` with labels of weights `before` in front of it.
__device__ __forceinline__ Stay stay_of(float before, float own, float total) {
    // Rounded up by more than division and products are wrong.
    const float scale = __fdividef(128.0f + 1.0f / 1024.0f, total);
    const u32 first = parts_of(before, scale), rest = parts_of(total - before - own, scale);
    return first + rest > 127u ? Stay{0, 0} : Stay{128u - first, rest};
}

struct Drawn {
    u32 label, total; // and the sum of all weights
    Stay stay;
};

// A draw among all labels of a RV by its random word, from their energies and the least of them.
template <bool LINE>
__device__ __forceinline__ Drawn draw_one(const PackedParams &p, const Tables &t, const Line &line, u32 word, u32 least,
                                          const u32 (&e)[ENERGIES]) {
    u32 w[CHUNKS * 8];
    float sums[4] = {0, 0, 0, 0};
#pragma unroll
    for (int c = 0; c < CHUNKS; ++c) {
        u32 sum = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int q = 4 * c + k;
            w[2 * q] = w[2 * q + 1] = 0;
            if (q >= QUADS) continue;
            const u32 even = PER_QUAD == 2 ? e[PER_QUAD * q] : even_bytes(e[q]);
            const u32 odd = PER_QUAD == 2 ? e[PER_QUAD * q + PER_QUAD - 1] : odd_bytes(e[q]);
            const uint2 four_of = four_weights<LINE>(p, t, line, least, even, odd, q);
            w[2 * q] = four_of.x;
            w[2 * q + 1] = four_of.y;
            const u32 two = add_halves(w[2 * q], w[2 * q + 1]);
            sum = k == 0 ? two : add_halves(sum, two);
        }
        sums[c] = both(sum);
    }
    const float all = sums[0] + sums[1] + (sums[2] + sums[3]);
    const u32 total = units(all) << line.scale;
    const float drawn = from_units(__umulhi(word & p.u_mask, total) >> line.scale);
    float r = drawn;

    // Halve the range of labels until one is left: 64, 32, 16, 8, 4, 2, 1.
    u32 label = 0;
    float first = sums[0];
    if (CHUNKS > 2) {
        const bool upper = r >= sums[0] + sums[1];
        if (upper) r -= sums[0] + sums[1];
        first = upper ? sums[2] : sums[0];
        label = upper ? 32 : 0;
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const u32 high = k + 16 < CHUNKS * 8 ? w[k + 16 < CHUNKS * 8 ? k + 16 : 0] : 0;
            w[k] = upper ? high : w[k];
        }
    }
    if (CHUNKS > 1) {
        const bool upper = r >= first;
        if (upper) r -= first;
        label += upper ? 16 : 0;
#pragma unroll
        for (int k = 0; k < 8; ++k) w[k] = upper ? w[k + 8] : w[k];
    }
    u32 quad = add_halves(w[0], w[1]);
    if (QUADS > 2) {
        const u32 q1 = add_halves(w[2], w[3]), q2 = add_halves(w[4], w[5]);
        const float eight = both(add_halves(quad, q1));
        const bool upper = r >= eight;
        if (upper) r -= eight;
        label += upper ? 8 : 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) w[k] = upper ? w[k + 4] : w[k];
        quad = upper ? q2 : quad;
    }
    if (QUADS > 1) {
        const float four = both(quad);
        const bool upper = r >= four;
        if (upper) r -= four;
        label += upper ? 4 : 0;
        w[0] = upper ? w[2] : w[0];
        w[1] = upper ? w[3] : w[1];
    }
    const float two = low_half(add_halves(w[0], w[1]));
    const bool upper2 = r >= two;
    if (upper2) r -= two;
    const float even = low_half(upper2 ? w[0] >> 16 : w[0]), odd = low_half(upper2 ? w[1] >> 16 : w[1]);
    const bool upper1 = r >= even;
    if (upper1) r -= even;
    return Drawn{label + 2u * upper2 + upper1, total, stay_of(drawn - r, upper1 ? odd : even, all)};
}

// Draws of RVs side by side.
template <bool LINE>
__device__ __forceinline__ void draw_dense(const PackedParams &p, const Tables &t, const Line &line, const Ahead &ahead,
                                           const Beside &beside, Drawn (&drawn)[AT_ONCE]) {
    u32 e[AT_ONCE][ENERGIES], least[AT_ONCE];
    if (adds_two(p, t, beside) || (SPA_SUMS == 1 && ahead.wide)) all_energies<true>(t, ahead.s, beside, e, least);
    else all_energies<false>(t, ahead.s, beside, e, least);
#pragma unroll
    for (u32 n = 0; n < AT_ONCE; ++n) drawn[n] = draw_one<LINE>(p, t, line, ahead.word[n], least[n], e[n]);
}
