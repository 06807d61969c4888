// The dissertation's event-driven variants (chapter 4), research modes in single precision (float.cuh): not exact.
//
// A region of RVs is a block's work of one half-step, one thread a RV of the colour; how large regions are and how many
// blocks a multiprocessor holds is explored (Table 4.1). Labels of less than 1/C of the largest probability are cut off
// (Equation 4.1); a RV with one label left is concentrated.
//
// SPA_EDGS 0: every RV of every region. 1: regions from a queue. While a RV is updated, the regions of its neighbours are
// put into the other colour's queue if the RV changed, else those of neighbours that are not concentrated (section 4.2: a RV
// that is not concentrated but none of whose neighbours is looked at is forgotten). 2: no queues; a RV is left out while it
// is concentrated; who changes clears the neighbours' mark. With falling temperatures that skips only what cannot change.
//
// Set by the host: SPA_EDGS, SPA_CUT (1: there is a cut-off), and the macros of float.cuh.

struct EdgsParams {
    GenericParams job;
    const float *cooling; // 1/T and T ln C of every iteration
    u8 *concentrated;     // H x W: one label was left at the last update
    u32 *queues[2];       // regions to update, of each colour
    u32 *marks[2];        // the half-step that a region was last put in for
    u32 *counts;          // regions put in for each half-step; those of the first two are all
    u32 *barrier;
    u64 *updated;         // RVs updated
    u32 chain, iterations;
    u32 log_width, log_height; // of a region; threads of a block: half of its RVs
};

// Bits of the regions that a RV of a region can wake.
#define OWN 1u
#define LEFT 2u
#define RIGHT 4u
#define UP 8u
#define DOWN 16u

struct Regions {
    u32 across, down;
};

// Puts a region into the queue of half-step `when`, once.
__device__ __forceinline__ void enqueue(const EdgsParams &b, u32 when, u32 region) {
    if (atomicExch(b.marks[when & 1u] + region, when) == when) return;
    __stcg(b.queues[when & 1u] + atomicAdd(b.counts + when, 1u), region);
}

// Which regions a RV at (x, y) puts in.
__device__ __forceinline__ u32 wanted_regions(const EdgsParams &b, u32 x, u32 y, u32 i, bool changed) {
    const GenericParams &p = b.job;
    const u32 column = x & ((1u << b.log_width) - 1u), row = y & ((1u << b.log_height) - 1u);
    u32 bits = 0;
    if (x > 0 && (changed || !__ldcg(b.concentrated + i - 1))) bits |= column == 0 ? LEFT : OWN;
    if (x + 1u < p.width && (changed || !__ldcg(b.concentrated + i + 1)))
        bits |= column + 1u == 1u << b.log_width ? RIGHT : OWN;
    if (y > 0 && (changed || !__ldcg(b.concentrated + i - p.width))) bits |= row == 0 ? UP : OWN;
    if (y + 1u < p.height && (changed || !__ldcg(b.concentrated + i + p.width)))
        bits |= row + 1u == 1u << b.log_height ? DOWN : OWN;
    return bits;
}

// The neighbours of a RV that changed must be updated.
__device__ __forceinline__ void wake_beside(const EdgsParams &b, u32 x, u32 y, u32 i) {
    const GenericParams &p = b.job;
    if (x > 0) __stcg(b.concentrated + i - 1, (u8)0);
    if (x + 1u < p.width) __stcg(b.concentrated + i + 1, (u8)0);
    if (y > 0) __stcg(b.concentrated + i - p.width, (u8)0);
    if (y + 1u < p.height) __stcg(b.concentrated + i + p.width, (u8)0);
}

// One RV of a region; returns the regions that it puts in.
__device__ __forceinline__ u32 update_edgs(const EdgsParams &b, const u8 *pair, u32 x, u32 y, u32 iteration, u32 *updated) {
    const GenericParams &p = b.job;
    if (x >= p.width || y >= p.height) return 0;
    const u32 i = y * p.width + x;
    if (p.fixed && p.fixed[i]) return 0;
    if (SPA_EDGS == 2 && __ldcg(b.concentrated + i)) return 0;
    *updated += 1;
    const u32 own = SPA_EDGS ? __ldcg(p.labels + i) : 0;
    const u32 word = draw_word(p.key0, p.key1, x, y, b.chain << 24 | iteration);
    u32 live;
    const u32 label = draw_float<SPA_CUT>(p, pair, look_beside(p, x, y, i), x, y, i, word, __ldg(b.cooling + 2u * iteration),
                                          __ldg(b.cooling + 2u * iteration + 1u), &live);
    if (!SPA_EDGS) {
        __stcg(p.labels + i, (u8)label);
        return 0;
    }
    const bool changed = label != own;
    if (changed) __stcg(p.labels + i, (u8)label);
    __stcg(b.concentrated + i, (u8)(live == 1u));
    if (SPA_EDGS == 2) {
        if (changed) wake_beside(b, x, y, i);
        return 0;
    }
    return wanted_regions(b, x, y, i, changed);
}

// At most 512 threads; the bound leaves a thread as many registers as the named baseline has.
extern "C" __global__ void __launch_bounds__(768)
gibbs_edgs(const __grid_constant__ EdgsParams b) {
    const GenericParams &p = b.job;
    __shared__ u8 pair[FLOAT_PAIR];
    // Of this round, the one before and the one after.
    __shared__ u32 wanted[3];
    if (threadIdx.x < 3u) wanted[threadIdx.x] = 0;
    load_pair(p, pair);
    Barrier barrier = {b.barrier, gridDim.x, 0};
    const u32 column = 2u * (threadIdx.x & ((1u << (b.log_width - 1u)) - 1u)), row = threadIdx.x >> (b.log_width - 1u);
    const u32 across = (p.width + (1u << b.log_width) - 1u) >> b.log_width;
    const u32 regions = across * ((p.height + (1u << b.log_height) - 1u) >> b.log_height);
    u32 updated = 0, round = 0;
    for (u32 half = 0; half < 2u * b.iterations; ++half) {
        const u32 many = SPA_EDGS == 1 ? __ldcg(b.counts + half) : regions;
        // Who updates nothing puts nothing in.
        if (many == 0) break;
        for (u32 k = blockIdx.x; k < many; k += gridDim.x) {
            const u32 region = SPA_EDGS == 1 ? __ldcg(b.queues[half & 1u] + k) : k;
            const u32 y = (region / across << b.log_height) + row;
            const u32 x = (region % across << b.log_width) + column + ((y + half) & 1u);
            const u32 bits = update_edgs(b, pair, x, y, half >> 1, &updated);
            if (SPA_EDGS != 1) continue;
            const u32 all = __reduce_or_sync(FULL, bits);
            if ((threadIdx.x & 31u) == 0 && all) atomicOr(wanted + round, all);
            __syncthreads();
            if (threadIdx.x < 5u && wanted[round] >> threadIdx.x & 1u) {
                const u32 there[5] = {region, region - 1u, region + 1u, region - across, region + across};
                u32 target = there[0];
#pragma unroll
                for (u32 k = 1; k < 5; ++k) target = threadIdx.x == k ? there[k] : target;
                enqueue(b, half + 1u, target);
            }
            // The word of the round before, which everybody has read, serves the round after the next.
            round = round == 2u ? 0u : round + 1u;
            if (threadIdx.x == 0) wanted[round == 2u ? 0u : round + 1u] = 0;
        }
        arrive(barrier);
        wait(barrier);
    }
    const u32 sum = __reduce_add_sync(FULL, updated);
    if ((threadIdx.x & 31u) == 0 && sum) atomicAdd(b.updated, (u64)sum);
}
