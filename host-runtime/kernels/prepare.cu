// What the packed kernels know beforehand: alpha*S of every label, 255 at most, its minimum per RV, and whether one inside the picture
// is above narrow = 255 - 4 beta*max V, so that with beta*sum V it may pass 255: the RV is wide.
//
// Planes of one colour hold the RVs of a row whose (x + y) has that parity: j = x / 2 (packed.cu).

struct PrepareParams {
    GenericParams job;
    u8 *least[2];     // H x half
    uint4 *volume[2]; // H x chunks x half, 16 labels each; null where singletons are computed on the fly
    u32 *wide[2];     // H x words, zero before: bit j % 32 of word (y, j / 32)
    u32 half, words, narrow;
};

extern "C" __global__ void __launch_bounds__(256) prepare(const PrepareParams p) {
    const u32 i = blockIdx.x * 256u + threadIdx.x;
    if (i >= p.job.width * p.job.height) return;
    const u32 y = i / p.job.width, x = i % p.job.width;
    const u32 colour = (x + y) & 1u, j = x / 2u;
    const u32 chunks = (SPA_LABELS + 15u) / 16u;
#if SPA_SINGLETON == 2
    const u32 first = 0;
#else
    const u32 first = p.job.first[i];
#endif
    u32 least = 255, most = 0;
    for (u32 c = 0; c < chunks; ++c) {
        u32 words[4];
        for (u32 w = 0; w < 4; ++w) {
            words[w] = 0;
            for (u32 b = 0; b < 4; ++b) {
                const u32 l = c * 16u + w * 4u + b;
                if (l >= SPA_LABELS) continue;
                const u32 s = min(p.job.alpha * singleton(p.job, x, y, i, first, l), 255u);
                least = min(least, s);
                if (!points_outside(p.job, x, y, l)) most = max(most, s);
                words[w] |= s << 8u * b;
            }
        }
        if (p.volume[colour])
            p.volume[colour][((u64)y * chunks + c) * p.half + j] = make_uint4(words[0], words[1], words[2], words[3]);
    }
    p.least[colour][(u64)y * p.half + j] = (u8)least;
    if (most > p.narrow)
        atomicOr(p.wide[colour] + (u64)y * p.words + j / 32u, 1u << j % 32u);
}
