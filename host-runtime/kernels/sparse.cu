// The sparse packed kernel: only RVs that can change, and of those only labels that can be drawn (near.cuh); exact.
//
// RVs (event-driven Gibbs sampling): one live label and unchanged neighbours mean the same label again, as long as the
// live set cannot grow. A bit a RV says that it must be updated: it had more than one live label, or a neighbour
// changed. A block takes words of 32 RVs from all over the field, so that all blocks have about as much to do, packs the RVs
// that must be updated and spreads them over its warps. RVs that need all labels are drawn by eight lanes each.
//
// Set by the host: the macros of packed.cuh.

#define WARPS (SPA_THREADS / 32)
// Words that a block takes at once.
#define WORDS 256
// Warps that share few RVs: two a scheduler.
#define FEW_WARPS (WARPS < 8 ? WARPS : 8)

struct BlockSpace {
    u32 bits[WORDS], changed[WORDS], live[WORDS];
    u16 list[WORDS * 32]; // word * 32 + bit
    u32 count;
};

// Packs the RVs of words first, first + step, … whose bit is set.
__device__ __forceinline__ void gather(const PackedParams &p, u32 colour, u32 first, u32 step, u32 words, BlockSpace &space) {
    const u32 lane = threadIdx.x & 31u;
    for (u32 k = threadIdx.x; k < WORDS; k += SPA_THREADS) {
        const u32 word = first + k * step;
        u32 bits = 0;
        if (SPA_STRIPPED != 1 && word < words) bits = __ldcg(p.active[colour] + word) & __ldg(p.valid[colour] + word);
        space.bits[k] = bits;
        space.changed[k] = space.live[k] = 0;
        u32 rest = __ballot_sync(FULL, bits != 0);
        if (!rest) continue;
        const u32 total = __reduce_add_sync(FULL, __popc(bits));
        u32 at = 0;
        if (lane == 0) at = atomicAdd(&space.count, total);
        at = __shfl_sync(FULL, at, 0);
        for (; rest; rest &= rest - 1) {
            const u32 source = __ffs(rest) - 1, b = __shfl_sync(FULL, bits, source);
            if (b >> lane & 1u)
                space.list[at + __popc(b & ((1u << lane) - 1u))] = (u16)(((k & ~31u) + source) << 5 | lane);
            at += __popc(b);
        }
    }
}

struct Place {
    u32 y, j, x;
};

__device__ __forceinline__ Place place_of(const PackedParams &p, u32 colour, u32 first, u32 step, u32 item) {
    const u32 word = first + (item >> 5) * step, y = word / p.words;
    const u32 j = (word - y * p.words) * 32u + (item & 31u);
    return Place{y, j, 2u * j + ((y + colour) & 1u)};
}

// Neighbours of the changed RVs of one word must be updated.
__device__ __forceinline__ void wake(const PackedParams &p, u32 colour, u32 y, u32 column, u32 changed) {
    u32 *other = p.active[colour ^ 1u] + (u64)y * p.words + column;
    const bool odd = (y + colour) & 1u;
    atomicOr(other, changed | (odd ? changed << 1 : changed >> 1));
    if (y > 0) atomicOr(other - p.words, changed);
    if (y + 1u < p.height) atomicOr(other + p.words, changed);
    if (odd && changed >> 31 && column + 1u < p.words) atomicOr(other + 1, 1u);
    if (!odd && (changed & 1u) && column > 0) atomicOr(other - 1, 1u << 31);
}

// Updates the RVs of the list; notes which changed and which had more than one live label.
__device__ __forceinline__ void update_list(const PackedParams &p, const Tables &t, const Step &step, u32 colour, u32 first,
                                            u32 word_step, u32 now, BlockSpace &space, Figures &figures) {
    const u32 lane = threadIdx.x & 31u, warp = threadIdx.x / 32u, many = space.count;
    const u32 warps = min(max((u32)FEW_WARPS, (many + 31u) / 32u), (u32)WARPS), lanes = min((many + warps - 1u) / warps, 32u);
    if (warp >= warps) return;
    for (u32 base = warp * lanes; base < many; base += warps * lanes) {
        const bool on = lane < lanes && base + lane < many;
        const u32 item = space.list[on ? base + lane : base];
        const Place at = place_of(p, colour, first, word_step, item);
        const Around a = look_around(p, colour, at.y, at.j);
        u32 label = 0;
        bool open = false;
        if (on) {
            figures.updated += 1;
            label = draw_near(p, t, step, colour, at.x, at.y, at.j, a, now, &open, figures);
        }
        draw_all(p, t, step, colour, on && label == NOT_NEAR, at.x, at.y, a, now, label, open, figures);
        if (!on) continue;
        if (open) atomicOr(&space.live[item >> 5], 1u << (item & 31u));
        if (label != a.own) atomicOr(&space.changed[item >> 5], 1u << (item & 31u));
        commit(p, colour, at.y, at.j, at.x, a.own, label, now);
    }
}

extern "C" __global__ void __launch_bounds__(SPA_THREADS, 768 / SPA_THREADS)
packed_sparse(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step_index) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    __shared__ __align__(16) Tables t;
    __shared__ BlockSpace space;
    const Step &step = p.steps[step_index];
    if (threadIdx.x == 0) space.count = 0;
    load_tables(p, step, t);
    const u32 words = p.words * p.height;
    Figures figures = {0, 0, 0, 0};
    Barrier barrier = {p.barrier, mine.blocks, 0};

    for (u32 half = 0; half < 2u * iterations; ++half) {
        const u32 colour = half & 1u;
        for (u32 first = mine.block; first < words; first += WORDS * mine.blocks) {
            gather(p, colour, first, mine.blocks, words, space);
            __syncthreads();
            update_list(p, t, step, colour, first, mine.blocks, iteration + (half >> 1), space, figures);
            __syncthreads();
            if (threadIdx.x == 0) space.count = 0;
            for (u32 k = threadIdx.x; k < WORDS; k += SPA_THREADS) {
                if (!space.bits[k]) continue;
                const u32 word = first + k * mine.blocks, y = word / p.words;
                __stcg(p.active[colour] + word, space.live[k]);
                if (space.changed[k]) wake(p, colour, y, word - y * p.words, space.changed[k]);
            }
            __syncthreads();
        }
        arrive(barrier);
        wait(barrier);
    }

    const u32 sums[4] = {figures.touched, figures.updated, figures.all_labels, figures.live};
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
        const u32 sum = __reduce_add_sync(FULL, sums[k]);
        if ((threadIdx.x & 31u) == 0 && sum) atomicAdd(p.counters + k, (u64)sum);
    }
}
