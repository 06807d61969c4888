// A draw among all labels of a RV by one thread, two to four labels an instruction.
//
// First pass: four bytes of alpha*S and of beta*sum V (rows of one table in shared memory) become two words of two
// 16-bit energies. Second pass: a power of two falls with Es along a line, so one multiply-add puts its exponent where
// half precision has its own, and masking the rest leaves the weight (packed.cuh, Step). Sums of 16 weights are exact
// in half precision; the draw descends through their tree.

__device__ __forceinline__ u32 at(const uint4 &v, u32 k) { return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w; }

#if !SPA_VOLUME
// |left - right| of all labels, four a word, ascending. BORDER: some samples lie outside the picture.
template <bool BORDER>
__device__ __forceinline__ void stereo_singletons(const PackedParams &p, u32 x, u32 y, u32 (&s)[QUADS]) {
    const u32 left = four(__ldg(p.first + (u64)y * p.width + x));
    const u32 start = p.second_origin + x + p.first_offset;
    const u32 *row = (const u32 *)(p.second + (u64)y * p.second_pitch) + (start >> 2);
    // Ascending labels are descending bytes.
    const u32 selector = 0x1234u + 0x1111u * (start & 3u);
    u32 high = __ldg(row);
    const int last = (int)x + p.first_offset;
    const u32 above = four(127 - max(min(last, 127), -1));
    const u32 below = four(127 + max(min(last - (int)p.width + 1, 64), 0));
#pragma unroll
    for (int q = 0; q < QUADS; ++q) {
        const u32 low = __ldg(row - 1 - q);
        u32 d = __vabsdiffu4(left, prmt(low, high, selector));
        if (SPA_CAPPED) d = __vminu4(d, four(p.data_cap));
        if (BORDER) {
            const u32 labels = 0x03020100u + four(4 * q);
            const u32 outside = spread_signs((labels + above) | (below - labels));
            d = (d & ~outside) | (four(p.s_outside) & outside);
        }
        s[q] = d;
        high = low;
    }
}
#endif

// alpha*S of all labels, four a word, ascending.
__device__ __forceinline__ void all_singletons(const PackedParams &p, u32 colour, u32 y, u32 j, u32 x, u32 (&s)[QUADS]) {
#if SPA_STRIPPED == 3
#pragma unroll
    for (int q = 0; q < QUADS; ++q) s[q] = (x + y * q) * 0x01030507u;
#elif SPA_VOLUME
#pragma unroll
    for (int c = 0; c < CHUNKS; ++c) {
        const uint4 v = __ldg(p.volume[colour] + ((u64)y * CHUNKS + c) * p.half + j);
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (4 * c + k < QUADS) s[4 * c + k] = at(v, k);
    }
#else
    const int last = (int)x + p.first_offset;
    if (last < (int)p.width && last >= SPA_LABELS - 1) stereo_singletons<false>(p, x, y, s);
    else stereo_singletons<true>(p, x, y, s);
#endif
}

// A draw among all labels with their alpha*S; *single tells that only one of them is live.
template <bool LINE>
__device__ __forceinline__ u32 draw_dense(const PackedParams &p, const Tables &t, const Step &step,
                                          const u32 (&s)[QUADS], const Around &a, u32 word, bool *single) {
    // Word 2q holds labels 4q and 4q + 2, word 2q + 1 labels 4q + 1 and 4q + 3.
    u32 e[CHUNKS * 8];
    u32 best = 0x40004000u;
    const u8 *rows = t.pair;
#pragma unroll
    for (int c = 0; c < CHUNKS; ++c) {
        const uint4 l = *(const uint4 *)(rows + a.left * PAIR_ROW + 16 * c);
        const uint4 r = *(const uint4 *)(rows + a.right * PAIR_ROW + 16 * c);
        const uint4 u = *(const uint4 *)(rows + a.up * PAIR_ROW + 16 * c);
        const uint4 d = *(const uint4 *)(rows + a.down * PAIR_ROW + 16 * c);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int q = 4 * c + k;
            if (q >= QUADS) {
                e[2 * q] = e[2 * q + 1] = 0x40004000u;
                continue;
            }
            const u32 v = at(l, k) + at(r, k) + at(u, k) + at(d, k);
            u32 even = __viaddmin_u16x2(s[q] & 0x00ff00ffu, v & 0x00ff00ffu, 0x00ff00ffu);
            u32 odd = __viaddmin_u16x2(prmt(s[q], 0, 0x4341), prmt(v, 0, 0x4341), 0x00ff00ffu);
            // Labels beyond L are never live.
            if (4 * q + 1 >= SPA_LABELS) odd |= 0x4000u;
            if (4 * q + 2 >= SPA_LABELS) even |= 0x40000000u;
            if (4 * q + 3 >= SPA_LABELS) odd |= 0x40000000u;
            best = __vminu2(best, __vminu2(even, odd));
            e[2 * q] = even;
            e[2 * q + 1] = odd;
        }
    }
    const u32 least = min(best & 0xffffu, best >> 16);

    // Energies become weights in units of 2^-14.
    const u32 minus_least = (0x10000u - least & 0xffffu) * 0x10001u;
    const u32 limit = step.limit * 0x10001u, offset = step.offset * 0x10001u, slope = step.slope;
    float sums[4] = {0, 0, 0, 0};
#pragma unroll
    for (int c = 0; c < CHUNKS; ++c) {
        u32 sum = 0;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            const u32 es = __viaddmin_u16x2(e[8 * c + k], minus_least, limit);
            const u32 w = LINE ? offset - es * slope & 0xfc00fc00u
                               : t.half_weight[es & 0xffffu] | (u32)t.half_weight[es >> 16] << 16;
            e[8 * c + k] = w;
            sum = k == 0 ? w : add_halves(sum, w);
        }
        sums[c] = both(sum);
    }
    const u32 total = (u32)((sums[0] + sums[1] + (sums[2] + sums[3])) * 16384.0f) << step.scale;
    // The best label weighs weight[0], every other live one at least 1.
    *single = total == step.weight[0];
    float r = (float)(__umulhi(word & p.u_mask, total) >> step.scale) * (1.0f / 16384.0f);

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
            const u32 high = k + 16 < CHUNKS * 8 ? e[k + 16 < CHUNKS * 8 ? k + 16 : 0] : 0;
            e[k] = upper ? high : e[k];
        }
    }
    if (CHUNKS > 1) {
        const bool upper = r >= first;
        if (upper) r -= first;
        label += upper ? 16 : 0;
#pragma unroll
        for (int k = 0; k < 8; ++k) e[k] = upper ? e[k + 8] : e[k];
    }
    const u32 q0 = add_halves(e[0], e[1]), q1 = add_halves(e[2], e[3]), q2 = add_halves(e[4], e[5]);
    const float eight = both(add_halves(q0, q1));
    const bool upper8 = r >= eight;
    if (upper8) r -= eight;
#pragma unroll
    for (int k = 0; k < 4; ++k) e[k] = upper8 ? e[k + 4] : e[k];
    const float quad = both(upper8 ? q2 : q0);
    const bool upper4 = r >= quad;
    if (upper4) r -= quad;
    const u32 even = upper4 ? e[2] : e[0], odd = upper4 ? e[3] : e[1];
    const float two = low_half(add_halves(even, odd));
    const bool upper2 = r >= two;
    if (upper2) r -= two;
    const bool upper1 = r >= low_half(upper2 ? even >> 16 : even);
    label += 8u * upper8 + 4u * upper4 + 2u * upper2 + upper1;
    return label;
}
