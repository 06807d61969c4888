// What event-driven sampling evaluates of a RV: quads of four labels near those of its neighbours, if no other label can be
// drawn; exact.
//
// With a capped pair term, a label outside the near set (V < cap beside some neighbour) costs far = beta * cap * neighbours
// more than its singleton. If even the best singleton of the RV plus far is not live, only near labels are. Near labels lie
// side by side, so they are evaluated four at a time, as in draw.cuh; what else is in their quads does no harm.

// Quads that one thread evaluates, at most.
#define NEAR_QUADS 6

struct Figures {
    u32 touched, updated, all_labels, live;
};

// alpha*S of labels 4q to 4q + 3.
__device__ __forceinline__ u32 quad_singletons(const PackedParams &p, u32 colour, u32 x, u32 y, u32 j, u32 first, int q) {
#if SPA_VOLUME
    return __ldg((const u32 *)(p.volume[colour] + ((u64)y * CHUNKS + (q >> 2)) * p.half + j) + (q & 3));
#else
    const u32 start = p.second_origin + x + p.first_offset;
    const u32 *row = (const u32 *)(p.second + (u64)y * p.second_pitch) + (start >> 2);
    const int last = (int)x + p.first_offset;
    // Ascending labels are descending bytes.
    u32 d = __vabsdiffu4(four(first), prmt(__ldg(row - 1 - q), __ldg(row - q), 0x1234u + 0x1111u * (start & 3u)));
    if (SPA_CAPPED) d = __vminu4(d, four(p.data_cap));
    if (last - 4 * q < 3 || last - 4 * q >= (int)p.width) {
        u32 outside = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) outside |= (u32)(last - 4 * q - k) >= p.width ? 0xffu << 8 * k : 0u;
        d = (d & ~outside) | (four(p.s_outside) & outside);
    }
    return d;
#endif
}

// 16-bit energies of labels 0, 2 and 1, 3 of quad q from their alpha*S and beta*sum V.
__device__ __forceinline__ void quad_energies(u32 s, u32 v, int q, u32 *even, u32 *odd) {
    *even = __viaddmin_u16x2(s & 0x00ff00ffu, v & 0x00ff00ffu, 0x00ff00ffu);
    *odd = __viaddmin_u16x2(prmt(s, 0, 0x4341), prmt(v, 0, 0x4341), 0x00ff00ffu);
    // Labels beyond L are never live.
    if ((SPA_LABELS & 3) && q == QUADS - 1) {
        if ((SPA_LABELS & 3) < 2) *odd |= 0x4000u;
        if ((SPA_LABELS & 3) < 3) *even |= 0x40000000u;
        *odd |= 0x40000000u;
    }
}

__device__ __forceinline__ u32 quad_pairs(const Tables &t, const Around &a, int q) {
    const u8 *rows = t.pair + 4 * q;
    return *(const u32 *)(rows + a.left * PAIR_ROW) + *(const u32 *)(rows + a.right * PAIR_ROW) +
           *(const u32 *)(rows + a.up * PAIR_ROW) + *(const u32 *)(rows + a.down * PAIR_ROW);
}

// Two weights in units of 2^-14 as half precision, from 16-bit energies.
__device__ __forceinline__ u32 two_weights(const PackedParams &p, const Tables &t, const Line &line, u32 least, u32 energies) {
    return line.slope ? half_weights(p, line, least, energies) : looked_up_weights(t, line, least, energies);
}

// The r-th unit of a draw from weights that add up to `total`, as a float in units of 2^-14.
__device__ __forceinline__ float draw_unit(const PackedParams &p, const Line &line, u32 x, u32 y, u32 now, u32 total) {
    const u32 word = draw_word(p.key0, p.key1, x, y, p.chain << 24 | now);
    return (float)(__umulhi(word & p.u_mask, total) >> line.scale) * (1.0f / 16384.0f);
}

// Which label of a quad holds unit r of it.
__device__ __forceinline__ u32 in_quad(u32 even, u32 odd, float r) {
    const float two = low_half(add_halves(even, odd));
    const bool upper2 = r >= two;
    if (upper2) r -= two;
    return 2u * upper2 + (r >= low_half(upper2 ? even >> 16 : even));
}

#define NOT_NEAR 0xffffffffu

// The label that one RV takes if all live labels are near, else NOT_NEAR; *open: more than one is live.
__device__ __forceinline__ u32 draw_near(const PackedParams &p, const Tables &t, const Line &line, u32 colour, u32 x, u32 y,
                                         u32 j, const Around &a, u32 now, bool *open, Figures &figures) {
    const u32 quads = t.quads[a.left] | t.quads[a.right] | t.quads[a.up] | t.quads[a.down];
    const u32 many = __popc(quads);
    if (many == 0 || many > NEAR_QUADS) return NOT_NEAR;
    const u32 best = __ldg(p.least[colour] + (u64)y * p.half + j);
#if SPA_VOLUME
    const u32 first = 0;
#else
    const u32 first = __ldg(p.first + (u64)y * p.width + x);
#endif
    // Words 2b and 2b + 1 hold labels 0, 2 and 1, 3 of the b-th quad as 16-bit energies.
    u32 e[2 * NEAR_QUADS], places = 0, rest = quads, lowest = 0x40004000u;
#pragma unroll
    for (u32 b = 0; b < NEAR_QUADS; ++b) {
        e[2 * b] = e[2 * b + 1] = 0x40004000u;
        if (b >= many) continue;
        const int q = __ffs(rest) - 1;
        rest &= rest - 1;
        places |= (u32)q << 4u * b;
        const u32 s = quad_singletons(p, colour, x, y, j, first, q);
        u32 even, odd;
        quad_energies(s, quad_pairs(t, a, q), q, &even, &odd);
        lowest = __vminu2(lowest, __vminu2(even, odd));
        e[2 * b] = even;
        e[2 * b + 1] = odd;
    }
    const u32 least = min(lowest & 0xffffu, lowest >> 16);
    const u32 missing =
        (a.left == SPA_LABELS) + (a.right == SPA_LABELS) + (a.up == SPA_LABELS) + (a.down == SPA_LABELS);
    const u32 best_far = min(best + p.far * (4u - missing), 255u);
    if (many < QUADS && best_far < least + line.limit) return NOT_NEAR;

    // Weights in units of 2^-14, as in draw.cuh; the sum of a quad is exact in half precision.
    float sums[NEAR_QUADS], sum = 0;
#pragma unroll
    for (u32 b = 0; b < NEAR_QUADS; ++b) {
        sums[b] = 0;
        if (b >= many) continue;
#pragma unroll
        for (u32 k = 2 * b; k < 2 * b + 2; ++k) {
            e[k] = two_weights(p, t, line, least, e[k]);
            if (SPA_PROFILE) figures.live += ((e[k] & 0xffffu) != 0) + (e[k] >> 16 != 0);
        }
        sums[b] = both(add_halves(e[2 * b], e[2 * b + 1]));
        sum += sums[b];
    }
    const u32 total = (u32)(sum * 16384.0f) << line.scale;
    // The best label weighs the most, every other live one at least 1. One live label needs no random number.
    *open = total != line.most;
    float r = *open ? draw_unit(p, line, x, y, now, total) : 0.0f;
    u32 even = e[0], odd = e[1], place = 0;
#pragma unroll
    for (u32 b = 0; b + 1 < NEAR_QUADS; ++b) {
        const bool on = place == b && b + 1 < many && r >= sums[b];
        if (on) r -= sums[b];
        place += on;
        even = on ? e[2 * b + 2] : even;
        odd = on ? e[2 * b + 3] : odd;
    }
    figures.touched += 4u * many;
    return 4u * (places >> 4u * place & 15u) + in_quad(even, odd, r);
}

// A label by eight lanes, each with two quads, for four RVs of a warp at once: every lane of a group has the same RV.
// *open: more than one label is live. All lanes of the warp take part.
__device__ __forceinline__ u32 draw_octet(const PackedParams &p, const Tables &t, const Line &line, u32 colour, u32 x, u32 y,
                                          u32 j, const Around &a, u32 now, bool *open) {
    const u32 lane = threadIdx.x & 31u, own = lane & 7u;
#if SPA_VOLUME
    const u32 first = 0;
#else
    const u32 first = __ldg(p.first + (u64)y * p.width + x);
#endif
    u32 e[4] = {0x40004000u, 0x40004000u, 0x40004000u, 0x40004000u};
#pragma unroll
    for (u32 k = 0; k < 2; ++k) {
        const int q = 2 * own + k;
        if (q < QUADS)
            quad_energies(quad_singletons(p, colour, x, y, j, first, q), quad_pairs(t, a, q), q, e + 2 * k, e + 2 * k + 1);
    }
    const u32 lowest = __vminu2(__vminu2(e[0], e[1]), __vminu2(e[2], e[3]));
    u32 least = min(lowest & 0xffffu, lowest >> 16);
#pragma unroll
    for (u32 d = 1; d < 8; d *= 2) least = min(least, __shfl_xor_sync(FULL, least, d));
#pragma unroll
    for (u32 k = 0; k < 4; ++k) e[k] = two_weights(p, t, line, least, e[k]);
    const float lower = both(add_halves(e[0], e[1])), sum = lower + both(add_halves(e[2], e[3]));
    float prefix = sum;
#pragma unroll
    for (u32 d = 1; d < 8; d *= 2) {
        const float below = __shfl_up_sync(FULL, prefix, d, 8);
        if (own >= d) prefix += below;
    }
    const u32 total = (u32)(__shfl_sync(FULL, prefix, 7, 8) * 16384.0f) << line.scale;
    *open = total != line.most;
    float r = *open ? draw_unit(p, line, x, y, now, total) : 0.0f;
    const bool mine = r >= prefix - sum && r < prefix;
    r -= prefix - sum;
    const bool upper = r >= lower;
    if (upper) r -= lower;
    const u32 label = 8u * own + 4u * upper + (upper ? in_quad(e[2], e[3], r) : in_quad(e[0], e[1], r));
    const u32 found = __ballot_sync(FULL, mine) >> (lane & 24u) & 0xffu;
    return __shfl_sync(FULL, label, __ffs(found) - 1, 8);
}

// The lane with the group's own bit of `rest` (groups of eight lanes, in order), the last one where there are fewer.
__device__ __forceinline__ u32 source_of(u32 rest) {
    for (u32 k = (threadIdx.x & 31u) >> 3; k > 0 && (rest & rest - 1); --k) rest &= rest - 1;
    return __ffs(rest) - 1;
}

// `rest` without the four RVs that the groups have done.
__device__ __forceinline__ u32 without_four(u32 rest) {
#pragma unroll
    for (u32 k = 0; k < 4; ++k) rest &= rest - 1;
    return rest;
}

// Labels for the lanes of a warp that ask for a draw among all of them: eight lanes each, four at a time. All lanes take part.
__device__ __forceinline__ void draw_all(const PackedParams &p, const Tables &t, const Line &line, u32 colour, bool asks, u32 x,
                                         u32 y, const Around &a, u32 now, u32 &label, bool &open, Figures &figures) {
    const u32 lane = threadIdx.x & 31u;
    const u32 place = x | y << 16, beside = a.left | a.right << 8 | a.up << 16 | a.down << 24;
    for (u32 rest = __ballot_sync(FULL, asks); rest; rest = without_four(rest)) {
        const u32 source = source_of(rest);
        const u32 its = __shfl_sync(FULL, place, source), its_beside = __shfl_sync(FULL, beside, source);
        const Around around = {its_beside & 255u, its_beside >> 8 & 255u, its_beside >> 16 & 255u, its_beside >> 24, 0};
        bool its_open;
        const u32 found = draw_octet(p, t, line, colour, its & 0xffffu, its >> 16, (its & 0xffffu) >> 1, around, now, &its_open);
        // The group that had this lane's RV.
        const u32 group = __popc(rest & ((1u << lane) - 1u));
        const u32 its_label = __shfl_sync(FULL, found | (its_open ? 256u : 0u), 8u * min(group, 3u));
        if (rest >> lane & 1u && group < 4u) {
            label = its_label & 255u;
            open = its_label >> 8;
            figures.touched += SPA_LABELS;
            figures.all_labels += 1;
        }
    }
}
