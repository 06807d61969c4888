// One update in single precision (Equations 3.1 to 3.3): energies in 32-bit integers, exp(-Es/T), the draw. The
// dissertation's arithmetic (section 4.4.1), shared by the named baseline and by its event-driven variants.
//
// Set by the host: SPA_WINDOW (0: V from a table, up to 200 labels; else V = dx^2 + dy^2 of the displacements in a window
// of this side, without a cap), and the macros of singleton.cuh.

// Row SPA_LABELS is a missing neighbour's; an odd number of words a row spreads rows over the banks.
#define FLOAT_ROW (((SPA_LABELS + 3) / 4 | 1) * 4)
#define FLOAT_PAIR (SPA_WINDOW ? 4 : FLOAT_ROW * (SPA_LABELS + 1))
// Energies of more labels than these lie in local memory.
#define FLOAT_UNROLL (SPA_LABELS <= 64 ? SPA_LABELS : 1)

__device__ __forceinline__ void load_pair(const GenericParams &p, u8 *pair) {
    if (!SPA_WINDOW)
        for (u32 k = threadIdx.x; k < SPA_LABELS * (SPA_LABELS + 1); k += blockDim.x)
            pair[k / SPA_LABELS * FLOAT_ROW + k % SPA_LABELS] = k < SPA_LABELS * SPA_LABELS ? p.pair[k] : 0;
    __syncthreads();
}

// Labels of the neighbours, SPA_LABELS where there is none.
struct Beside {
    u32 left, right, up, down;
};

__device__ __forceinline__ Beside look_beside(const GenericParams &p, u32 x, u32 y, u32 i) {
    // Other blocks write these: read them where their writes arrive, in the second-level cache.
    const u32 none = SPA_LABELS;
    return Beside{x > 0 ? (u32)__ldcg(p.labels + i - 1) : none, x + 1u < p.width ? (u32)__ldcg(p.labels + i + 1) : none,
                  y > 0 ? (u32)__ldcg(p.labels + i - p.width) : none,
                  y + 1u < p.height ? (u32)__ldcg(p.labels + i + p.width) : none};
}

#if SPA_WINDOW
// The four neighbours' sum of (place - own place)^2 along one side of the window.
__device__ __forceinline__ u32 spread(const Beside &n, u32 place, bool across) {
    u32 sum = 0;
    const u32 labels[4] = {n.left, n.right, n.up, n.down};
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
        const int d = (int)(across ? labels[k] % SPA_WINDOW : labels[k] / SPA_WINDOW) - (int)place;
        sum += labels[k] < SPA_LABELS ? (u32)(d * d) : 0u;
    }
    return sum;
}
#endif

// A label for the RV at (x, y); with CUT those with Es >= limit cannot be drawn, and *live counts the others.
template <bool CUT>
__device__ __forceinline__ u32 draw_float(const GenericParams &p, const u8 *pair, const Beside &n, u32 x, u32 y, u32 i,
                                          u32 word, float inverse_temperature, float limit, u32 *live) {
#if SPA_SINGLETON == 2
    const u32 first = 0;
#else
    const u32 first = p.first[i];
#endif
    float e[SPA_LABELS];
    u32 least = FULL;
#if SPA_WINDOW
    u32 across[SPA_WINDOW];
#pragma unroll
    for (u32 k = 0; k < SPA_WINDOW; ++k) across[k] = spread(n, k, true);
#pragma unroll (SPA_LABELS <= 64 ? SPA_WINDOW : 1)
    for (u32 row = 0; row < SPA_WINDOW; ++row) {
        const u32 down = spread(n, row, false);
#pragma unroll
        for (u32 k = 0; k < SPA_WINDOW; ++k) {
            const u32 l = row * SPA_WINDOW + k;
            const u32 energy = p.alpha * singleton(p, x, y, i, first, l) + p.beta * (across[k] + down);
            least = min(least, energy);
            e[l] = (float)energy;
        }
    }
#else
    const u8 *left = pair + FLOAT_ROW * n.left, *right = pair + FLOAT_ROW * n.right;
    const u8 *up = pair + FLOAT_ROW * n.up, *down = pair + FLOAT_ROW * n.down;
#pragma unroll FLOAT_UNROLL
    for (u32 l = 0; l < SPA_LABELS; ++l) {
        const u32 v = (u32)left[l] + right[l] + up[l] + down[l];
        const u32 energy = p.alpha * singleton(p, x, y, i, first, l) + p.beta * v;
        least = min(least, energy);
        e[l] = (float)energy;
    }
#endif
    float sum = 0;
    u32 count = 0;
#pragma unroll FLOAT_UNROLL
    for (u32 l = 0; l < SPA_LABELS; ++l) {
        const float minus = (float)least - e[l];
        e[l] = __expf(minus * inverse_temperature);
        if (CUT) {
            const bool on = -minus < limit;
            e[l] = on ? e[l] : 0.0f;
            count += on;
        }
        sum += e[l];
    }
    *live = count;
    const float r = (float)word * (1.0f / 4294967296.0f) * sum;
    u32 label = 0;
    float prefix = 0;
#pragma unroll FLOAT_UNROLL
    for (u32 l = 0; l + 1 < SPA_LABELS; ++l) {
        prefix += e[l];
        label += prefix <= r;
    }
    return label;
}
