// alpha*S of all labels, four a word, ascending, of one RV or of two side by side.
//
// Energies saturate at 255. With SPA_SUMS 1 four of them are added as bytes, which alpha*S of more than narrow = 255 - 4 beta*max V
// could overflow. A RV that has such labels is *wide*, and is added otherwise (ahead.cuh).

__device__ __forceinline__ u32 at(const uint4 &v, u32 k) { return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w; }

// Whether labels of RVs side by side, the first at column x, point outside the picture.
template <int MANY> __device__ __forceinline__ bool is_at_border(const PackedParams &p, u32 x) {
    const int last = (int)x + p.first_offset;
    return last < SPA_LABELS - 1 || (SPA_RIGHTWARD && last + 2 * (MANY - 1) >= (int)p.width);
}

#if !SPA_VOLUME
// Pixels that singletons of RVs side by side are made of.
template <int MANY> struct Pixels {
    u32 left[MANY];
    const u32 *right; // word with the pixel of label 0 of the first RV
    u32 start;        // its byte
};

// From the pictures. Two RVs take the same words: the host has placed the right picture so that label 0 of the first is byte 0 or 1.
template <int MANY> __device__ __forceinline__ Pixels<MANY> pixels_at(const PackedParams &p, u32 x, u32 y) {
    Pixels<MANY> pixels;
    const u32 start = p.second_origin + x + p.first_offset;
    pixels.right = (const u32 *)(p.second + (u64)y * p.second_pitch) + (start >> 2);
    pixels.start = start & 3u;
#pragma unroll
    for (u32 n = 0; n < MANY; ++n) pixels.left[n] = __ldg(p.first + (u64)y * p.width + min(x + 2u * n, p.width - 1u));
    return pixels;
}

// |left - right|. GLOBAL: the pictures are in global memory. BORDER: some samples lie outside the picture, where it is s_outside.
template <int MANY, bool GLOBAL, bool BORDER>
__device__ __forceinline__ void differences(const PackedParams &p, const Pixels<MANY> &pixels, u32 x, u32 wide, u32 (&s)[MANY][QUADS]) {
    // Ascending labels are descending bytes.
    const u32 selector = 0x1234u + 0x1111u * pixels.start;
    u32 high = GLOBAL ? __ldg(pixels.right) : *pixels.right;
#pragma unroll
    for (int q = 0; q < QUADS; ++q) {
        const u32 *next = pixels.right - 1 - q;
        const u32 low = GLOBAL ? __ldg(next) : *next;
#pragma unroll
        for (u32 n = 0; n < MANY; ++n) {
            u32 d = __vabsdiffu4(four(pixels.left[n]), prmt(low, high, selector + 0x2222u * n));
            if (SPA_CAPPED) d = __vminu4(d, four(p.data_cap));
            if (BORDER) {
                const int last = (int)(x + 2u * n) + p.first_offset;
                const u32 labels = 0x03020100u + four(4 * q);
                u32 signs = labels + four(127 - max(min(last, 127), -1));
                if (SPA_RIGHTWARD) signs |= four(127 + max(min(last - (int)p.width + 1, 64), 0)) - labels;
                const u32 outside = spread_signs(signs);
                const u32 beyond = SPA_SUMS == 1 && !(wide >> n & 1u) ? min(p.s_outside, p.narrow) : p.s_outside;
                d = (d & ~outside) | (four(beyond) & outside);
            }
            s[n][q] = d;
        }
        high = low;
    }
}

template <int MANY, bool GLOBAL>
__device__ __forceinline__ void stereo_singletons(const PackedParams &p, const Pixels<MANY> &pixels, u32 x, u32 wide, bool border,
                                                  u32 (&s)[MANY][QUADS]) {
    if (border) differences<MANY, GLOBAL, true>(p, pixels, x, wide, s);
    else differences<MANY, GLOBAL, false>(p, pixels, x, wide, s);
}
#endif

#if SPA_VOLUME
// From the cost volume.
template <int MANY>
__device__ __forceinline__ void volume_singletons(const PackedParams &p, u32 colour, u32 y, u32 j, u32 (&s)[MANY][QUADS]) {
#pragma unroll
    for (u32 n = 0; n < MANY; ++n) {
        const uint4 *volume = p.volume[colour] + (u64)y * CHUNKS * p.half + min(j + n, p.half - 1u);
#pragma unroll
        for (int c = 0; c < CHUNKS; ++c) {
            const uint4 v = __ldg(volume + c * p.half);
#pragma unroll
            for (int k = 0; k < 4; ++k)
                if (4 * c + k < QUADS) s[n][4 * c + k] = at(v, k);
        }
    }
}
#endif

// `wide`: a bit each.
template <int MANY>
__device__ __forceinline__ void all_singletons(const PackedParams &p, u32 colour, u32 y, u32 j, u32 x, u32 wide,
                                               u32 (&s)[MANY][QUADS]) {
#if SPA_STRIPPED == 3
#pragma unroll
    for (u32 n = 0; n < MANY; ++n) {
#pragma unroll
        for (int q = 0; q < QUADS; ++q) s[n][q] = (x + n + y * q) * 0x01030507u;
    }
#elif SPA_VOLUME
    volume_singletons<MANY>(p, colour, y, j, s);
#else
    stereo_singletons<MANY, true>(p, pixels_at<MANY>(p, x, y), x, wide, is_at_border<MANY>(p, x), s);
#endif
}
