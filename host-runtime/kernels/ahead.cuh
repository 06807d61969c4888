// RVs to update and what is known of the update before their neighbours are.

// What one thread updates at once: a RV, or two side by side, which share a random block, table rows and words of the pictures.
#define AT_ONCE (SPA_PAIRS ? 2 : 1)

struct Ahead {
    u32 y, j, x;  // of the first
    u32 on, wide; // a bit each: in the field and not fixed; wide (samples.cuh)
    u32 word[AT_ONCE];
    u32 s[AT_ONCE][QUADS];
};

// Bits of the RVs at (y, j) in a plane of words.
__device__ __forceinline__ u32 bits_at(const PackedParams &p, const u32 *plane, u32 y, u32 j) {
    return __ldg(plane + (u64)y * p.words + j / 32u) >> j % 32u & (AT_ONCE == 2 ? 3u : 1u);
}

// Which RVs are wide, a bit each: those noted by prepare.cu, and those with labels outside the picture, which count as `narrow` at
// most, if these might live. The best energy is at most the best alpha*S and 255 - narrow; that and `limit` more is dead.
__device__ __forceinline__ u32 wide_at(const PackedParams &p, u32 limit, u32 colour, u32 y, u32 j, u32 x) {
    u32 wide = bits_at(p, p.wide[colour], y, j);
#pragma unroll
    for (u32 n = 0; n < AT_ONCE; ++n) {
        if (!is_at_border<1>(p, x + 2u * n)) continue;
        const u32 least = __ldg(p.least[colour] + (u64)y * p.half + min(j + n, p.half - 1u));
        if (least + limit + 255u > 2u * p.narrow) wide |= 1u << n;
    }
    return wide;
}

// The random words of the RVs at (y, j) and (y, j + 1), j even.
__device__ __forceinline__ uint2 two_words(const PackedParams &p, u32 colour, u32 iteration, u32 y, u32 j) {
    return threefry(p.key0, p.key1, y << 15 | (j >> 1) << 1 | colour, p.chain << 24 | iteration);
}

// What the energies of the RVs at `ahead.y`, `ahead.j` and on need of the pictures.
__device__ __forceinline__ void look_at_samples(const PackedParams &p, u32 limit, u32 colour, Ahead &ahead) {
    ahead.x = 2u * ahead.j + ((ahead.y + colour) & 1u);
    ahead.wide = SPA_SUMS == 1 ? wide_at(p, limit, colour, ahead.y, ahead.j, ahead.x) : 0u;
    all_singletons(p, colour, ahead.y, ahead.j, ahead.x, ahead.wide, ahead.s);
}

// The RVs at `ahead.y`, `ahead.j` and on, of which those of `ahead.on` are to be updated.
__device__ __forceinline__ void look_ahead(const PackedParams &p, u32 limit, u32 colour, u32 iteration, Ahead &ahead) {
    if (!ahead.on) return;
    const uint2 words = two_words(p, colour, iteration, ahead.y, ahead.j);
    ahead.word[0] = AT_ONCE == 1 && (ahead.j & 1u) ? words.y : words.x;
    ahead.word[AT_ONCE - 1] = AT_ONCE == 1 ? ahead.word[0] : words.y;
    look_at_samples(p, limit, colour, ahead);
}

// The labels beside RVs in a row, those between two of them once; above; below; their own.
struct Beside {
    u32 row[AT_ONCE + 1], up[AT_ONCE], down[AT_ONCE], own[AT_ONCE];
};

__device__ __forceinline__ Beside look_beside(const PackedParams &p, u32 colour, u32 y, u32 j) {
    Beside b;
#pragma unroll
    for (u32 n = 0; AT_ONCE == 1 && n < 1; ++n) {
        const Around a = look_around(p, colour, y, j);
        b.row[0] = a.left;
        b.row[1] = a.right;
        b.up[0] = a.up;
        b.down[0] = a.down;
        b.own[0] = a.own;
    }
#if SPA_PAIRS
    if (SPA_STRIPPED == 3) {
#pragma unroll
        for (u32 n = 0; n < 2; ++n) {
            const Around a = made_up(y, j + n);
            b.row[n] = a.left;
            b.row[n + 1] = a.right;
            b.up[n] = a.up;
            b.down[n] = a.down;
            b.own[n] = a.own;
        }
        return b;
    }
    // Planes are aligned so that two labels are one read. Of the three in the row, one is beside those two.
    const u64 at = (u64)(y + 1u) * p.pitch + 32u + j;
    const u8 *other = p.labels[colour ^ 1u] + at;
    const bool odd = (y + colour) & 1u;
    const u32 two = __ldcg((const u16 *)other), third = __ldcg(other + (odd ? 2 : -1));
    const u32 up = __ldcg((const u16 *)(other - p.pitch)), down = __ldcg((const u16 *)(other + p.pitch));
    const u32 own = __ldcg((const u16 *)(p.labels[colour] + at));
    b.row[0] = odd ? two & 255u : third;
    b.row[1] = odd ? two >> 8 : two & 255u;
    b.row[2] = odd ? third : two >> 8;
    b.up[0] = up & 255u;
    b.up[1] = up >> 8;
    b.down[0] = down & 255u;
    b.down[1] = down >> 8;
    b.own[0] = own & 255u;
    b.own[1] = own >> 8;
#endif
    return b;
}
