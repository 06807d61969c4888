// The dissertation's kernel (section 3.4.3, 4.4.1), the named baseline: blocks of 16 x 16 threads on regions of
// 32 x 16 RVs, all blocks resident and synchronised after every half-step (float.cuh). Not exact: equal to the f64 reference
// within Monte-Carlo error.
//
// Set by the host: the macros of float.cuh.

struct BaselineParams {
    GenericParams job;
    const float *inverse_temperatures; // of the schedule entries
    u16 *counts;                       // histogram, H x W x L
    u32 *barrier;
    u32 chain, burn_in;
};

extern "C" __global__ void __launch_bounds__(256, 3)
gibbs_baseline(const BaselineParams b, u32 iteration, u32 iterations, u32 step) {
    const GenericParams &p = b.job;
    __shared__ u8 pair[FLOAT_PAIR];
    load_pair(p, pair);
    Barrier barrier = {b.barrier, gridDim.x, 0};
    const float inverse_temperature = b.inverse_temperatures[step];
    const u32 across = (p.width + 31u) / 32u, regions = across * ((p.height + 15u) / 16u);
    for (u32 n = 0; n < iterations; ++n) {
        for (u32 colour = 0; colour < 2; ++colour) {
            for (u32 region = blockIdx.x; region < regions; region += gridDim.x) {
                const u32 y = region / across * 16u + threadIdx.x / 16u;
                const u32 x = region % across * 32u + 2u * (threadIdx.x % 16u) + ((y + colour) & 1u);
                if (x >= p.width || y >= p.height) continue;
                const u32 i = y * p.width + x;
                if (p.fixed && p.fixed[i]) continue;
                const u32 word = draw_word(p.key0, p.key1, x, y, b.chain << 24 | iteration + n);
                u32 live;
                const u32 label = draw_float<false>(p, pair, look_beside(p, x, y, i), x, y, i, word, inverse_temperature,
                                                    0.0f, &live);
                __stcg(p.labels + i, (u8)label);
                if (iteration + n >= b.burn_in) b.counts[(u64)i * SPA_LABELS + label] += 1;
            }
            arrive(barrier);
            wait(barrier);
        }
    }
}
