// The dense packed kernel: every label of every RV, one thread a RV (draw.cuh).
//
// A block has a band of a plane: consecutive RVs, of all blocks as many but for 32. It meets only the blocks whose bands hold
// neighbours of its own RVs, by a flag each. No band is ever two half-steps ahead of such a band, and labels of one colour
// are written in every other half-step only, so what is read meanwhile never changes. Several blocks share a multiprocessor:
// while one waits, the others compute.
//
// Set by the host: SPA_PAIRS (1: two RVs a thread at once, ahead.cuh), SPA_BLOCKS (of a multiprocessor), and the macros of packed.cuh.

struct Band {
    u32 index, bands, first, end; // the RVs, or pairs, of a colour
    u32 columns;                  // of a row
    u32 reach;                    // bands before and after it that hold neighbours of its RVs
    u32 thread;                   // turned_thread
};

// This thread among those of its block, from another warp on in each block of a multiprocessor: the first ones have the most to do, and
// the warps of equal number share a scheduler.
__device__ __forceinline__ u32 turned_thread(const Share &mine) {
    return (threadIdx.x + mine.block * SPA_BLOCKS / mine.blocks * 32u) % SPA_THREADS;
}

__device__ __forceinline__ Band open_band(const PackedParams &p, const Share &mine) {
    Band band = {mine.block};
    band.thread = turned_thread(mine);
    band.columns = (p.half + AT_ONCE - 1u) / AT_ONCE;
    const u32 all = band.columns * p.height, warps = (all + 31u) / 32u;
    band.bands = min(mine.blocks, warps);
    band.first = (u32)((u64)band.index * warps / band.bands) * 32u;
    band.end = min((u32)((u64)(band.index + 1u) * warps / band.bands) * 32u, all);
    // A neighbour is at most a row and a RV away.
    band.reach = band.columns / (warps / band.bands * 32u) + 1u;
    return band;
}

// Waits until the bands around have finished the half-step before `half`.
__device__ __forceinline__ void wait_around(const PackedParams &p, const Band &band, u32 half) {
    if (!SPA_WAITS) return;
    for (u32 k = threadIdx.x; k < 2u * band.reach; k += SPA_THREADS) {
        const u32 other = k < band.reach ? band.index - 1u - k : band.index + 1u + k - band.reach;
        if (other >= band.bands) continue;
        const u32 *flag = p.flags + FLAG * other;
        while (load_told(flag) < half) {
        }
    }
    __syncthreads();
}

template <bool LINE>
__device__ __forceinline__ void update(const PackedParams &p, const Tables &t, const Line &line, u32 colour, const Ahead &ahead,
                                       u32 iteration, u32 &open) {
    const Beside beside = look_beside(p, colour, ahead.y, ahead.j);
    Drawn drawn[AT_ONCE];
    draw_dense<LINE>(p, t, line, ahead, beside, drawn);
#pragma unroll
    for (u32 n = 0; n < AT_ONCE; ++n) {
        if (AT_ONCE != 1 && !(ahead.on >> n & 1u)) continue;
        // The best label weighs the most, every other live one at least 1.
        open += drawn[n].total != line.most;
        commit(p, colour, ahead.y, ahead.j + n, ahead.x + 2u * n, beside.own[n], drawn[n].label, iteration);
    }
}

// All half-steps of a band. What is known of the first RVs of a half-step beforehand is looked at while others finish the one before.
template <bool LINE>
__device__ __forceinline__ void run_band(const PackedParams &p, const Band &band, const Tables &t, const Line &line, u32 iteration,
                                         u32 iterations, u32 told, u32 &open) {
#pragma unroll 1
    for (u32 half = 0; half < 2u * iterations; ++half) {
        const u32 colour = half & 1u, now = iteration + (half >> 1);
#pragma unroll 1
        for (u32 first = band.first; first < band.end; first += SPA_THREADS) {
            Ahead ahead;
            ahead.on = 0;
            if (first + band.thread < band.end) {
                const u32 k = first + band.thread;
                ahead.y = k / band.columns;
                ahead.j = AT_ONCE * (k - ahead.y * band.columns);
                ahead.on = SPA_STRIPPED == 1 ? 0u : bits_at(p, p.valid[colour], ahead.y, ahead.j);
                look_ahead(p, line.limit, colour, now, ahead);
            }
            if (first == band.first && half > 0) wait_around(p, band, told + half);
            if (ahead.on) update<LINE>(p, t, line, colour, ahead, now, open);
        }
        tell(p, band.index, told + half + 1u);
    }
}

template <bool LINE>
__device__ __forceinline__ void dense(const Batch &batch, u32 iteration, u32 iterations, u32 step, u32 told, const Line &line, u32 slot) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    __shared__ __align__(16) Tables t;
    const Band band = open_band(p, mine);
    if (band.index >= band.bands) return;
    load_pairs(p, t);
    load_weights(p.steps[step], t);
    __syncthreads();
    u32 open = 0;
    run_band<LINE>(p, band, t, line, iteration, iterations, told, open);
    count_for_host(p, slot, __reduce_add_sync(FULL, open));
}

extern "C" __global__ void __launch_bounds__(SPA_THREADS, SPA_BLOCKS)
packed_dense(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step, u32 told, u32 limit,
             u32 scale, u32 slope, u32 start, u32 bias, u32 most, u32 slot) {
    dense<true>(batch, iteration, iterations, step, told, Line{limit, scale, slope, start, bias, most}, slot);
}

// For temperatures whose thresholds lie on no line.
extern "C" __global__ void __launch_bounds__(SPA_THREADS, SPA_BLOCKS)
packed_dense_table(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step, u32 told, u32 limit,
             u32 scale, u32 slope, u32 start, u32 bias, u32 most, u32 slot) {
    dense<false>(batch, iteration, iterations, step, told, Line{limit, scale, slope, start, bias, most}, slot);
}
