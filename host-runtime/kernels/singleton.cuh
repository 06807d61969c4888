// The job as the generic kernel and the preparation read it, and its singleton term (docs/contract.md section 3).
//
// Set by the host: SPA_LABELS, SPA_SINGLETON (0 pixels, 1 values, 2 table), SPA_SQUARED.

struct GenericParams {
    u8 *labels;              // H x W
    uint2 *entries;          // H x W
    const u8 *first;         // singleton 1
    const u8 *second;        // singleton 2: pixels or values
    const short2 *offsets;   // of the labels
    const u16 *costs;        // singleton table, H x W x L, capped
    const u8 *pair;          // [neighbour][own], capped
    const u8 *fixed;         // 1: keeps its label
    const u8 *edges;         // weights of the edges to the right and down, H x W x 2
    const u32 *limits;       // 8 a schedule entry
    const u8 *weights;       // 1024 a schedule entry (linear)
    Log log;
    u32 width, height;
    u32 data_cap, s_outside, alpha, beta, shift, energy_max;
    u32 key0, key1, u_mask, count_max;
};

// Whether label l points outside the picture.
__device__ __forceinline__ bool points_outside(const GenericParams &p, u32 x, u32 y, u32 l) {
#if SPA_SINGLETON == 0
    const short2 o = __ldg(p.offsets + l);
    return x + o.x >= p.width || y + o.y >= p.height;
#else
    return false;
#endif
}

// S of label l, capped (contract section 3).
__device__ __forceinline__ u32 singleton(const GenericParams &p, u32 x, u32 y, u32 i, u32 first, u32 l) {
#if SPA_SINGLETON == 2
    return __ldg(p.costs + (u64)i * SPA_LABELS + l);
#else
#if SPA_SINGLETON == 1
    const u32 second = __ldg(p.second + l);
#else
    const short2 o = __ldg(p.offsets + l);
    const u32 sx = x + o.x, sy = y + o.y;
    if (sx >= p.width || sy >= p.height) return p.s_outside;
    const u32 second = __ldg(p.second + (u64)sy * p.width + sx);
#endif
    const u32 d = first > second ? first - second : second - first;
    return min(SPA_SQUARED ? d * d : d, p.data_cap);
#endif
}
