// The sparse packed kernel: only RVs that can change, and of those only labels that can be drawn (near.cuh); exact.
//
// RVs (event-driven Gibbs sampling): one live label and unchanged neighbours mean the same label again, as long as the
// live set cannot grow. A bit a RV says that it must be updated: it had more than one live label, or a neighbour changed.
//
// Words of 32 RVs are dealt to the blocks in turn, so that all have about as much to do; then the words beside a block's own
// belong to four other blocks, and it meets only those, by a flag each (packed.cu says why that is enough). A block packs the RVs that
// must be updated into a list and spreads the list over its lanes. RVs that need all labels are drawn by eight lanes each. Blocks
// are small: while one waits or has few RVs, the others of its multiprocessor compute.
//
// Set by the host: SPA_BLOCKS (of a multiprocessor), and the macros of packed.cuh.

#define WARPS (SPA_THREADS / 32)
// Words that a block takes at once, 16 a warp.
#define WORDS (16 * WARPS)

struct Space {
    u32 bits[WORDS], place[WORDS], changed[WORDS], live[WORDS]; // place: row << 16 | word of the row
    u16 list[WORDS * 32];                                       // word << 5 | bit
    u32 many;
};

// Packs the RVs of words first, first + step, … whose bit is set.
__device__ __forceinline__ void gather(const PackedParams &p, u32 colour, u32 first, u32 step, u32 words, Space &space) {
    const u32 lane = threadIdx.x & 31u, warp = threadIdx.x / 32u, k = warp + lane * WARPS, word = first + k * step;
    u32 bits = 0;
    if (k < WORDS) {
        if (SPA_STRIPPED != 1 && word < words) bits = __ldcg(p.active[colour] + word) & __ldg(p.valid[colour] + word);
        const u32 y = word / p.words;
        space.place[k] = y << 16 | (word - y * p.words);
        space.bits[k] = bits;
        space.changed[k] = space.live[k] = 0;
    }
    u32 rest = __ballot_sync(FULL, bits != 0);
    if (!rest) return;
    const u32 total = __reduce_add_sync(FULL, __popc(bits));
    u32 at = 0;
    if (lane == 0) at = atomicAdd(&space.many, total);
    at = __shfl_sync(FULL, at, 0);
    for (; rest; rest &= rest - 1) {
        const u32 source = __ffs(rest) - 1, b = __shfl_sync(FULL, bits, source);
        if (b >> lane & 1u) space.list[at + __popc(b & ((1u << lane) - 1u))] = (u16)((warp + source * WARPS) << 5 | lane);
        at += __popc(b);
    }
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
__device__ __forceinline__ void update_list(const PackedParams &p, const Tables &t, const Line &line, u32 colour, u32 now,
                                            Space &space, Figures &figures) {
    const u32 many = space.many;
    for (u32 base = threadIdx.x & ~31u; base < many; base += SPA_THREADS) {
        const u32 at = base + (threadIdx.x & 31u);
        const bool on = at < many;
        const u32 item = space.list[on ? at : base], place = space.place[item >> 5];
        const u32 y = place >> 16, j = (place & 0xffffu) * 32u + (item & 31u), x = 2u * j + ((y + colour) & 1u);
        const Around a = look_around(p, colour, y, j);
        u32 label = 0;
        bool open = false;
        if (on) {
            figures.updated += 1;
            label = draw_near(p, t, line, colour, x, y, j, a, now, &open, figures);
        }
        draw_all(p, t, line, colour, on && label == NOT_NEAR, x, y, a, now, label, open, figures);
        if (!on) continue;
        if (open) atomicOr(&space.live[item >> 5], 1u << (item & 31u));
        if (label != a.own) atomicOr(&space.changed[item >> 5], 1u << (item & 31u));
        commit(p, colour, y, j, x, a.own, label, now);
    }
}

// Waits until the blocks that have the words beside its own have finished the half-step before `half`.
__device__ __forceinline__ void wait_around(const PackedParams &p, u32 own, u32 blocks, u32 half) {
    const u32 row = p.words % blocks, side = threadIdx.x;
    if (SPA_STRIPPED < 2 && side < 4u) {
        const u32 away = side == 0 ? 1u : side == 1 ? blocks - 1u : side == 2 ? row : blocks - row;
        const u32 *flag = p.flags + FLAG * ((own + away) % blocks);
        while (load_told(flag) < half) {
        }
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(SPA_THREADS, SPA_BLOCKS)
packed_sparse(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step, u32 told, u32 limit,
              u32 scale, u32 slope, u32 start, u32 bias, u32 most) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    __shared__ __align__(16) Tables t;
    __shared__ Space space;
    const Line line = {limit, scale, slope, start, bias, most};
    if (threadIdx.x == 0) space.many = 0;
    load_tables(p, p.steps[step], t);
    const u32 words = p.words * p.height, blocks = min(mine.blocks, words);
    if (mine.block >= blocks) return;
    Figures figures = {0, 0, 0, 0};

    for (u32 half = 0; half < 2u * iterations; ++half) {
        const u32 colour = half & 1u;
        if (half > 0) wait_around(p, mine.block, blocks, told + half);
        for (u32 first = mine.block; first < words; first += WORDS * blocks) {
            gather(p, colour, first, blocks, words, space);
            __syncthreads();
            update_list(p, t, line, colour, iteration + (half >> 1), space, figures);
            __syncthreads();
            if (threadIdx.x == 0) space.many = 0;
            for (u32 k = threadIdx.x; k < WORDS; k += SPA_THREADS) {
                if (!space.bits[k]) continue;
                __stcg(p.active[colour] + first + k * blocks, space.live[k]);
                if (space.changed[k]) wake(p, colour, space.place[k] >> 16, space.place[k] & 0xffffu, space.changed[k]);
            }
            if (first + WORDS * blocks < words) __syncthreads();
        }
        tell(p, mine.block, told + half + 1u);
    }

    const u32 sums[4] = {figures.touched, figures.updated, figures.all_labels, figures.live};
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
        const u32 sum = __reduce_add_sync(FULL, sums[k]);
        if ((threadIdx.x & 31u) == 0 && sum) atomicAdd(p.counters + k, (u64)sum);
    }
}
