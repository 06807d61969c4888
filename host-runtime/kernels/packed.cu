// The dense packed kernel: every label of every RV, one thread a RV (draw.cuh).
//
// Set by the host: SPA_PAIRS (below), and the macros of packed.cuh.

// Blocks that must fit a multiprocessor: 768 threads where one RV a thread is to be had; 0: as the compiler likes.
#define DENSE_BLOCKS SPA_PAIRS ? 0 : 768 / SPA_THREADS

template <bool LINE>
__device__ __forceinline__ void update(const PackedParams &p, const Tables &t, const Step &step, u32 colour,
                                       const Ahead &ahead, const Around &a, u32 iteration) {
    const u32 label = draw_dense<LINE>(p, t, step, ahead, a);
    commit(p, colour, ahead.y, ahead.j, ahead.x, a.own, label, iteration);
}

// One RV a thread at a time: the first one of a half-step is looked at while other blocks finish the one before. All
// threads make as many rounds, so that they meet at the barrier.
template <bool LINE>
__device__ __forceinline__ void dense_single(const PackedParams &p, const Share &mine, const Tables &t, const Step &step,
                                             u32 iteration, u32 iterations) {
    const u32 threads = mine.blocks * SPA_THREADS, rounds = (p.half * p.height + threads - 1u) / threads;
    const u32 own = mine.block * SPA_THREADS + threadIdx.x;
    Barrier barrier = {p.barrier, mine.blocks, 0};
    Ahead ahead = {own / p.half, own % p.half};
    look_ahead(p, 0, iteration, ahead);
    u32 round = 0;
#pragma unroll 1
    for (u32 n = 0; n < 2u * iterations;) {
        if (ahead.on) {
            const Around a = look_around(p, n & 1u, ahead.y, ahead.j);
            update<LINE>(p, t, step, n & 1u, ahead, a, iteration + (n >> 1));
        }
        const bool last = ++round == rounds;
        if (last) {
            round = 0;
            ++n;
            arrive(barrier);
        }
        if (rounds > 1u) {
            const u32 k = own + round * threads;
            ahead.y = k / p.half;
            ahead.j = k % p.half;
        }
        look_ahead(p, n & 1u, iteration + (n >> 1), ahead);
        if (last) wait(barrier);
    }
}

// Two RVs a thread that share a random block, for pictures that fill the card that way.
template <bool LINE>
__device__ __forceinline__ void dense_pairs(const PackedParams &p, const Share &mine, const Tables &t, const Step &step,
                                            u32 iteration, u32 iterations) {
    const u32 columns = (p.half + 1u) / 2u;
    const u32 all = columns * p.height, threads = mine.blocks * SPA_THREADS;
    Barrier barrier = {p.barrier, mine.blocks, 0};
    for (u32 n = 0; n < iterations; ++n) {
        const u32 now = iteration + n;
        for (u32 colour = 0; colour < 2; ++colour) {
            for (u32 k = mine.block * SPA_THREADS + threadIdx.x; k < all; k += threads) {
                const u32 y = k / columns, j = 2u * (k % columns);
                const uint2 words = pair_of_words(p, colour, y, j, now);
#pragma unroll 1
                for (u32 side = 0; side < 2; ++side) {
                    Ahead one = {y, j + side, 0, side ? words.y : words.x};
                    if (!free_at(p, colour, y, one.j, &one.x)) continue;
                    one.wide = wide_at(p, colour, y, one.j);
                    // The longest wait first.
                    const Around a = look_around(p, colour, y, one.j);
                    all_singletons(p, colour, y, one.j, one.x, one.wide, one.s);
                    update<LINE>(p, t, step, colour, one, a, now);
                }
            }
            arrive(barrier);
            wait(barrier);
        }
    }
}

template <bool LINE>
__device__ __forceinline__ void dense(const Batch &batch, u32 iteration, u32 iterations, u32 step_index) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    __shared__ __align__(16) Tables t;
    const Step &step = p.steps[step_index];
    load_tables(p, step, t);
    if (SPA_PAIRS) dense_pairs<LINE>(p, mine, t, step, iteration, iterations);
    else dense_single<LINE>(p, mine, t, step, iteration, iterations);
}

extern "C" __global__ void __launch_bounds__(SPA_THREADS, DENSE_BLOCKS)
packed_dense(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step) {
    dense<true>(batch, iteration, iterations, step);
}

// For temperatures whose thresholds lie on no line.
extern "C" __global__ void __launch_bounds__(SPA_THREADS, DENSE_BLOCKS)
packed_dense_table(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step) {
    dense<false>(batch, iteration, iterations, step);
}
