// The sparse packed kernel: only RVs that can change; exact.
//
// RVs (event-driven Gibbs sampling): one live label and unchanged neighbours mean the same label again, as long as the
// live set cannot grow. A RV is awake, that is, must be updated, if it had more than one live label or a neighbour changed.
//
// A block has a tile with a halo (tile.cuh). In a half-step every warp packs the awake RVs of its share of the tile into its list; then
// the block draws them, a RV a lane, among all labels (draw.cuh). Everything that half-steps hand on is in shared memory.
//
// Set by the host: SPA_BLOCKS (of a multiprocessor), SPA_PAIRS (0), and the macros of packed.cuh and tile.cuh.

// What a half-step is about.
struct Half {
    u32 colour, now; // its iteration
    u32 s;           // its number in the round
    bool collected;  // picks are entered
    uint2 *entries;  // of its colour
};

// What half-steps of a tile work with: the thread's number, the job, the same with what updates need `at_hand`, its tables, the tile.
struct Work {
    u32 thread;
    const PackedParams &p, &hand;
    const Tables &tables;
    const Tile &tile;
    Space &space;
};

// Labels touched and RVs of the tile updated.
struct Figures {
    u32 touched, updated;
};

// Packs the awake RVs of this warp's share of the tile into its list: four of a word a lane, some words apart.
__device__ __forceinline__ void gather(const Work &work, const Half &half) {
    const Tile &tile = work.tile;
    Space &space = work.space;
    const u32 *awake = (const u32 *)space.awake[half.colour], *until = (const u32 *)space.until[half.colour];
    const u32 warp = work.thread / 32u, lane = work.thread % 32u, below = (1u << lane) - 1u;
    const u32 later = four(127u - half.s); // until + later has its top bit set if `until` is after this half-step
    u16 *list = space.list[warp];
    u32 end = 0;
#pragma unroll
    for (u32 n = 0; n < WORDS; ++n) {
        if (n * SPA_THREADS >= tile.words) break;
        const u32 k = n * SPA_THREADS + work.thread;
        const u32 on = SPA_STRIPPED == 1 ? 0u : (SPA_STRIPPED == 4 ? four(1) : awake[k]) & until[k] + later >> 7 & four(1);
        // How many there are up to each, and all of them, 0 to 4, in the top byte; and in the lanes before this one, bit by bit.
        const u32 own = on * 0x01010101u;
        const u32 ones = ballot<1u << 24>(own), twos = ballot<2u << 24>(own), fours = ballot<4u << 24>(own);
        if (n > 0) end = __shfl_sync(FULL, end, 31);
        if ((ones | twos | fours) == 0) continue;
        const u32 place = end + __popc(ones & below) + 2u * __popc(twos & below) + 4u * __popc(fours & below);
#pragma unroll
        for (u32 b = 0; b < 4; ++b)
            if (on & 1u << 8u * b) list[place + (b ? own >> 8u * (b - 1u) & 255u : 0u)] = (u16)(4u * k + b);
        end = place + (own >> 24);
    }
    if (lane == 31) space.counts[warp] = end;
}

// How many RVs the lists have, and all of them.
struct Counts {
    u32 of[WARPS], before[WARPS / 4 + 1]; // of a list; before four lists
};

__device__ __forceinline__ Counts load_counts(const Space &space) {
    Counts counts;
    counts.before[0] = 0;
#pragma unroll
    for (u32 k = 0; k < WARPS; ++k) counts.of[k] = at(((const uint4 *)space.counts)[k / 4u], k % 4u);
#pragma unroll
    for (u32 f = 0; f < WARPS / 4; ++f) {
        const u32 *of = counts.of + 4 * f;
        counts.before[f + 1] = counts.before[f] + ((of[0] + of[1]) + (of[2] + of[3]));
    }
    return counts;
}

// The n-th RV of all lists, or the last.
__device__ __forceinline__ u32 find(const Space &space, const Counts &counts, u32 n) {
    n = min(n, counts.before[WARPS / 4] - 1u);
    // Which four lists have it.
    u32 at = 0, before = 0, lists[3] = {counts.of[0], counts.of[1], counts.of[2]};
#pragma unroll
    for (u32 f = 1; f < WARPS / 4; ++f) {
        const bool later = n >= counts.before[f];
        at = later ? 4 * f * SHARE : at;
        before = later ? counts.before[f] : before;
#pragma unroll
        for (u32 k = 0; k < 3; ++k) lists[k] = later ? counts.of[4 * f + k] : lists[k];
    }
    const u32 place = n - before;
    u32 end = 0;
    at += place;
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
        end += lists[k];
        if (place >= end) at += SHARE - lists[k];
    }
    return (&space.list[0][0])[at];
}

// The label of the RV at `at` in shared memory is known, and whether others are live.
__device__ __forceinline__ void settle(const Tile &tile, Space &space, u32 colour, u32 at, u32 odd, u32 before, u32 label, bool open) {
    space.awake[colour][at] = open;
    if (label == before) return;
    space.labels[colour][at] = (u8)label;
    u8 *wake = space.awake[colour ^ 1u] + at, *beside = wake + odd;
    const u32 pitch = 4u * tile.groups;
    beside[-1] = beside[0] = wake[-(int)pitch] = wake[pitch] = 1;
}

// alpha*S of all labels of the RV at `at`, on line `row` of the tile.
__device__ __forceinline__ void singletons_in(const Work &work, const Half &half, u32 at, u32 row, bool border, Ahead &rv) {
#if SPA_LEFT
    const Pixels<1> pixels = pixels_in(work.hand, work.tile, work.space, row, rv.x);
    stereo_singletons<1, false>(work.hand, pixels, rv.x, rv.wide, border, rv.s);
#elif SPA_COSTS
#pragma unroll
    for (int q = 0; q < QUADS; ++q) rv.s[0][q] = work.space.costs[half.colour][at * QUADS + q];
#else
    all_singletons(work.p, half.colour, rv.y, rv.j, rv.x, rv.wide, rv.s);
#endif
}

// Energies of all labels of a RV, and the least. It is added as if it were not wide, which is wrong if it is, and if a label outside the
// picture might live; then all of the warp do it again. That is seldom, and this way nothing waits for a branch.
__device__ __forceinline__ u32 energies_in(const Work &work, u32 limit, const Half &half, u32 at, u32 row, const Beside &beside, Ahead &rv,
                                           u32 (&e)[1][ENERGIES]) {
    u32 least[1];
    rv.wide = 0;
#if SPA_VOLUME
    const bool border = false, always = false;
#else
    const bool border = is_at_border<1>(work.hand, rv.x), always = SPA_BLOCKS == 1;
#endif
    singletons_in(work, half, at, row, always || __any_sync(FULL, border), rv);
    if (adds_two(work.hand, work.tables, beside)) all_energies<true>(work.tables, rv.s, beside, e, least);
    else all_energies<false>(work.tables, rv.s, beside, e, least);
#if SPA_SUMS == 1
    const bool wide = work.space.wide[half.colour][at / 16u] >> at % 16u & 1u;
    if (__any_sync(FULL, wide || (border && least[0] + limit > work.hand.narrow))) {
        rv.wide = 1;
        singletons_in(work, half, at, row, true, rv);
        all_energies<true>(work.tables, rv.s, beside, e, least);
    }
#endif
    return least[0];
}

// Updates the RV at `at`; or, if it is not `on`, goes along.
template <bool LINE>
__device__ __forceinline__ void update(const Work &work, const Line &line, const Half &half, u32 at, bool on, Figures &figures) {
    const PackedParams &p = work.p, &hand = work.hand;
    const Tile &tile = work.tile;
    Space &space = work.space;
    const Group g = group_of(tile, at / 4u);
    Ahead rv;
    rv.y = (u32)g.y;
    rv.j = (u32)g.j + at % 4u;
    rv.x = 2u * rv.j + (rv.y + half.colour & 1u);
    const u32 odd = rv.x & 1u, pitch = 4u * tile.groups, before = space.labels[half.colour][at];
    const u8 *above = space.labels[half.colour ^ 1u] + at, *other = above + odd;
    const Beside beside = {{other[-1], other[0]}, {above[-(int)pitch]}, {above[pitch]}, {before}};
    // Rows of the table wait for these labels: no other read may be issued before them (where other blocks are there, they fill the wait).
    if (SPA_BLOCKS == 1) __syncwarp();
    const bool own = is_own(tile, g), collected = on && own && half.collected;
    uint2 entry = make_uint2(0, 0);
    if (collected) entry = half.entries[rv.y * hand.half + rv.j];
    u32 e[1][ENERGIES];
    const u32 word = draw_word(hand.key0, hand.key1, rv.x, rv.y, p.chain << 24 | half.now);
    const u32 least = energies_in(work, line.limit, half, at, g.line, beside, rv, e);
    const Drawn drawn = draw_one<LINE>(p, work.tables, line, word, least, e[0]);
    if (!on) return;
    figures.touched += SPA_LABELS;
    figures.updated += own;
    // The best label weighs the most, every other live one at least 1.
    settle(tile, space, half.colour, at, odd, before, drawn.label, drawn.total != line.most);
    if (collected && drawn.label != before) enter(p, half.colour, rv.y, rv.j, rv.x, before, half.now, entry, p.log);
}

template <bool LINE>
__device__ __forceinline__ void half_step(const Work &work, const Line &line, const Half &half, Figures &figures) {
    const Space &space = work.space;
    gather(work, half);
    __syncthreads();
    const Counts counts = load_counts(space);
    const u32 many = counts.before[WARPS / 4];
    for (u32 first = threadIdx.x & ~31u; first < many; first += SPA_THREADS) {
        const u32 n = first + threadIdx.x % 32u;
        // Blocks that share a multiprocessor have no registers to keep the counts in.
        const u32 at = find(space, SPA_BLOCKS == 1 ? counts : load_counts(space), n);
        update<LINE>(work, line, half, at, n < many, figures);
    }
    __syncthreads();
}

// The parameters that updates need, at hand; not where many labels take the registers.
__device__ __forceinline__ PackedParams all_at_hand(PackedParams p) {
    p.entries[0] = at_hand(p.entries[0]);
    p.entries[1] = at_hand(p.entries[1]);
    p.half = at_hand(p.half);
    p.burn_in = at_hand(p.burn_in);
    p.second_origin = at_hand(p.second_origin);
    p.first_offset = at_hand(p.first_offset);
    p.s_outside = at_hand(p.s_outside);
    p.narrow = at_hand(p.narrow);
    p.key0 = at_hand(p.key0);
    p.key1 = at_hand(p.key1);
    return p;
}

struct Shared {
    __align__(16) Tables tables;
    Space space;
};

static_assert(sizeof(Shared) <= SPA_SHARED, "the host has room for this");

template <bool LINE>
__device__ __forceinline__ void sparse(const Batch &batch, u32 iteration, u32 iterations, u32 step, u32 told) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job], copy = all_at_hand(p), &hand = SPA_BLOCKS == 1 && QUADS <= 4 ? copy : p;
    Shared &shared = in_register(shared_memory<Shared>());
    Tables &t = shared.tables;
    Space &space = shared.space;
    load_pairs(p, t);
    Place place;
    open_step<LINE>(p, step, t, place);
    Figures figures = {0, 0};

    const u32 tiles = p.tiles[0].x, halves = 2u * iterations, begin = at_hand(2u * iteration), thread = at_hand(threadIdx.x);
    const bool several = tiles > mine.blocks;
    Tile tile = open_tile(p, min(mine.block, tiles - 1u));
    for (u32 from = 0, round = told; from < halves; from += ROUND, ++round) {
        const bool last = from + ROUND >= halves;
        const u32 first = place.step;
        for (u32 index = mine.block; index < tiles; index += mine.blocks) {
            if (several) tile = open_tile(p, index);
            load_tile(p, tile, round, several || from == 0, space);
            if (place.step != first) open_step<LINE>(p, first, t, place);
            for (u32 s = 0; s < min(ROUND, halves - from); ++s) {
                const u32 now = begin + from + s >> 1;
                uint2 *entries = from + s & 1u ? hand.entries[1] : hand.entries[0];
                const Half half = {from + s & 1u, now, s, now >= hand.burn_in, entries};
                while (half.now >= place.end) open_step<LINE>(p, place.step + 1u, t, place);
                half_step<LINE>(Work{thread, p, hand, t, tile, space}, place.line, half, figures);
            }
            store_tile(p, tile, round + 1u, several || last, last, space);
            if (several) __syncthreads();
        }
    }

    const u32 sums[2] = {figures.touched, figures.updated};
#pragma unroll
    for (u32 k = 0; k < 2; ++k) {
        const u32 sum = __reduce_add_sync(FULL, sums[k]);
        if ((threadIdx.x & 31u) == 0 && sum) atomicAdd(p.counters + k, (u64)sum);
    }
}

extern "C" __global__ void __launch_bounds__(SPA_THREADS, SPA_BLOCKS)
packed_sparse(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step, u32 told) {
    sparse<true>(batch, iteration, iterations, step, told);
}

// For temperatures whose thresholds lie on no line.
extern "C" __global__ void __launch_bounds__(SPA_THREADS, SPA_BLOCKS)
packed_sparse_table(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step, u32 told) {
    sparse<false>(batch, iteration, iterations, step, told);
}

// All RVs must be updated, with the labels of the planes, in the next round, which is round 0.
extern "C" __global__ void __launch_bounds__(256) packed_sparse_open(const __grid_constant__ Batch batch) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    const u32 i = mine.block * 256u + threadIdx.x;
    if (i >= 2u * p.published_pitch * p.height) return;
    const u32 row = i / p.published_pitch, colour = row >= p.height, y = row - colour * p.height;
    const u32 j = 4u * (i - row * p.published_pitch);
    const u32 labels = *four_labels_at(p, colour, y, j);
    *published(p, 0, colour, y, j) = pack_group(labels, 0x01010101u, 0);
    *published(p, 1, colour, y, j) = 0; // of no odd round
}
