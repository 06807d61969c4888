// alpha*S of all labels of a RV, for kernels that take them all.
//
// Energies saturate at 255. With SPA_SUMS 1 four of them are added as bytes, which alpha*S of more than narrow = 255 - 4 beta*max V
// could overflow. A RV that has such labels inside the picture is *wide*, and is added otherwise. Labels that point outside the
// picture count as `narrow` at most: they are dead either way, or prepare.cu has called the RV wide.

__device__ __forceinline__ u32 at(const uint4 &v, u32 k) { return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w; }

// Whether the RV is wide.
__device__ __forceinline__ bool wide_at(const PackedParams &p, u32 colour, u32 y, u32 j) {
    return SPA_SUMS == 1 && __ldg(p.wide[colour] + (u64)y * p.words + j / 32u) >> j % 32u & 1u;
}

#if !SPA_VOLUME
// |left - right| of all labels, four a word, ascending. BORDER: some samples lie outside the picture, where it is `beyond`.
template <bool BORDER>
__device__ __forceinline__ void stereo_singletons(const PackedParams &p, u32 x, u32 y, u32 beyond, u32 (&s)[QUADS]) {
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
            d = (d & ~outside) | (four(beyond) & outside);
        }
        s[q] = d;
        high = low;
    }
}
#endif

// alpha*S of all labels, four a word, ascending.
__device__ __forceinline__ void all_singletons(const PackedParams &p, u32 colour, u32 y, u32 j, u32 x, bool wide,
                                               u32 (&s)[QUADS]) {
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
    const u32 beyond = SPA_SUMS == 1 && !wide ? min(p.s_outside, p.narrow) : p.s_outside;
    if (last < (int)p.width && last >= SPA_LABELS - 1) stereo_singletons<false>(p, x, y, beyond, s);
    else stereo_singletons<true>(p, x, y, beyond, s);
#endif
}
