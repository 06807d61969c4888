// The dissertation's kernel (section 3.4.3, 4.4.1), the named baseline: blocks of 16 x 16 threads on regions of
// 32 x 16 RVs, all blocks resident and synchronised after every half-step, energies in 32-bit integers, probabilities
// exp(-Es/T) and the draw in single precision. Not exact: equal to the f64 reference within Monte-Carlo error.
//
// Set by the host: SPA_LABELS, SPA_SINGLETON, SPA_SQUARED (singleton.cuh).

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
    // Row SPA_LABELS is a missing neighbour's; an odd number of words a row spreads rows over the banks.
    constexpr u32 ROW = ((SPA_LABELS + 3) / 4 | 1) * 4;
    __shared__ u8 pair[ROW * (SPA_LABELS + 1)];
    for (u32 k = threadIdx.x; k < SPA_LABELS * (SPA_LABELS + 1); k += 256u)
        pair[k / SPA_LABELS * ROW + k % SPA_LABELS] = k < SPA_LABELS * SPA_LABELS ? p.pair[k] : 0;
    __syncthreads();
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
                const u8 *left = pair + ROW * (x > 0 ? __ldcg(p.labels + i - 1) : SPA_LABELS);
                const u8 *right = pair + ROW * (x + 1u < p.width ? __ldcg(p.labels + i + 1) : SPA_LABELS);
                const u8 *up = pair + ROW * (y > 0 ? __ldcg(p.labels + i - p.width) : SPA_LABELS);
                const u8 *down = pair + ROW * (y + 1u < p.height ? __ldcg(p.labels + i + p.width) : SPA_LABELS);
#if SPA_SINGLETON == 2
                const u32 first = 0;
#else
                const u32 first = p.first[i];
#endif
                float e[SPA_LABELS];
                u32 least = FULL;
#pragma unroll
                for (u32 l = 0; l < SPA_LABELS; ++l) {
                    const u32 v = (u32)left[l] + right[l] + up[l] + down[l];
                    const u32 energy = p.alpha * singleton(p, x, y, i, first, l) + p.beta * v;
                    least = min(least, energy);
                    e[l] = (float)energy;
                }
                float sum = 0;
#pragma unroll
                for (u32 l = 0; l < SPA_LABELS; ++l) {
                    e[l] = __expf(((float)least - e[l]) * inverse_temperature);
                    sum += e[l];
                }
                const u32 word = draw_word(p.key0, p.key1, x, y, b.chain << 24 | iteration + n);
                const float r = (float)word * (1.0f / 4294967296.0f) * sum;
                u32 label = 0;
                float prefix = 0;
#pragma unroll
                for (u32 l = 0; l + 1 < SPA_LABELS; ++l) {
                    prefix += e[l];
                    label += prefix <= r;
                }
                __stcg(p.labels + i, (u8)label);
                if (iteration + n >= b.burn_in) b.counts[(u64)i * SPA_LABELS + label] += 1;
            }
            arrive(barrier);
            wait(barrier);
        }
    }
}
