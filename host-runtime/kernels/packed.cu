// The dense packed kernel: every label of every RV, one thread a RV (draw.cuh).
//
// Set by the host: SPA_PAIRS (below), and the macros of packed.cuh.

template <bool LINE>
__device__ __forceinline__ void update_dense(const PackedParams &p, const Tables &t, const Step &step, u32 colour, u32 y,
                                             u32 j, u32 word, u32 iteration) {
    u32 x;
    if (!field_position(p, colour, y, j, &x)) return;
    if (!(__ldg(p.valid[colour] + (u64)y * p.words + j / 32u) >> j % 32u & 1u)) return;
    const Around a = look_around(p, colour, y, j);
    bool single;
    const u32 label = draw_dense<LINE>(p, t, step, colour, y, j, x, a, word, &single);
    commit(p, colour, y, j, x, a.own, label, iteration);
}

// PAIRS: a thread updates two RVs that share a random block; for pictures that fill the card that way.
template <bool LINE, bool PAIRS>
__device__ __forceinline__ void dense(const PackedParams &p, u32 iteration, u32 iterations, u32 step_index) {
    __shared__ __align__(16) Tables t;
    const Step &step = p.steps[step_index];
    load_tables(p, step, t);
    const u32 columns = PAIRS ? (p.half + 1u) / 2u : p.half;
    const u32 all = columns * p.height, threads = gridDim.x * SPA_THREADS;
    for (u32 n = 0; n < iterations; ++n) {
        const u32 now = iteration + n;
        for (u32 colour = 0; colour < 2; ++colour) {
            for (u32 k = blockIdx.x * SPA_THREADS + threadIdx.x; k < all; k += threads) {
                const u32 y = k / columns, column = k % columns;
                const u32 j = PAIRS ? 2u * column : column;
                const uint2 words = threefry(p.key0, p.key1, y << 15 | (j >> 1) << 1 | colour, p.chain << 24 | now);
                if (PAIRS) {
#pragma unroll 1
                    for (u32 side = 0; side < 2; ++side)
                        update_dense<LINE>(p, t, step, colour, y, j + side, side ? words.y : words.x, now);
                } else {
                    update_dense<LINE>(p, t, step, colour, y, j, j & 1u ? words.y : words.x, now);
                }
            }
            grid_barrier(p.barrier, gridDim.x);
        }
    }
}

extern "C" __global__ void __launch_bounds__(SPA_THREADS)
packed_dense(const PackedParams p, u32 iteration, u32 iterations, u32 step) {
    dense<true, SPA_PAIRS>(p, iteration, iterations, step);
}

// For temperatures whose thresholds lie on no line.
extern "C" __global__ void __launch_bounds__(SPA_THREADS)
packed_dense_table(const PackedParams p, u32 iteration, u32 iterations, u32 step) {
    dense<false, SPA_PAIRS>(p, iteration, iterations, step);
}
