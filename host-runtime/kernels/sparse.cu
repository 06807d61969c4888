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
};

// Labels touched and RVs of the tile updated.
struct Figures {
    u32 touched, updated;
};

// Packs the awake RVs of this warp's share of the tile into its list: four of a word a lane, some words apart.
__device__ __forceinline__ void gather(const Tile &tile, Space &space, const Half &half) {
    const u32 *awake = (const u32 *)space.awake[half.colour], *until = (const u32 *)space.until[half.colour];
    const u32 warp = threadIdx.x / 32u, lane = threadIdx.x % 32u, below = (1u << lane) - 1u;
    const u32 later = four(127u - half.s); // until + later has its top bit set if `until` is after this half-step
    u16 *list = space.list[warp];
    u32 place = 0;
#pragma unroll
    for (u32 n = 0; n < WORDS; ++n) {
        if (n * SPA_THREADS >= tile.groups * tile.lines) break;
        const u32 k = n * SPA_THREADS + threadIdx.x;
        const u32 on = SPA_STRIPPED == 1 ? 0u : awake[k] & until[k] + later >> 7 & four(1);
        // How many there are, 0 to 4, and in the lanes before this one, bit by bit.
        const u32 own = on * 0x01010101u >> 24;
        const u32 ones = __ballot_sync(FULL, own & 1u), twos = __ballot_sync(FULL, own & 2u), fours = __ballot_sync(FULL, own & 4u);
        if (n > 0) place = __shfl_sync(FULL, place, 31);
        place += __popc(ones & below) + 2u * __popc(twos & below) + 4u * __popc(fours & below);
#pragma unroll
        for (u32 b = 0; b < 4; ++b) {
            if (on >> 8u * b & 1u) list[place] = (u16)(4u * k + b);
            place += on >> 8u * b & 1u;
        }
    }
    if (lane == 31) space.counts[warp] = place;
}

// How many RVs each list has.
__device__ __forceinline__ void load_counts(const Space &space, u32 (&counts)[WARPS]) {
    const uint4 *fours = (const uint4 *)space.counts;
#pragma unroll
    for (u32 k = 0; k < WARPS; ++k) counts[k] = at(fours[k / 4u], k % 4u);
}

// The n-th RV of all lists.
__device__ __forceinline__ u32 find(const Space &space, const u32 (&counts)[WARPS], u32 n) {
    u32 at = n, before = 0;
#pragma unroll
    for (u32 k = 0; k < WARPS; ++k) {
        if (n >= before) at = k * SHARE + n - before;
        before += counts[k];
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
__device__ __forceinline__ void singletons_in(const PackedParams &p, const Tile &tile, const Space &space, const Half &half, u32 row,
                                              bool border, Ahead &rv) {
#if !SPA_LEFT
    all_singletons(p, half.colour, rv.y, rv.j, rv.x, rv.wide, rv.s);
#else
    stereo_singletons<1, false>(p, pixels_in(p, tile, space, row, rv.x), rv.x, rv.wide, border, rv.s);
#endif
}

// Energies of all labels of a RV, and the least. It is added as if it were not wide, which is wrong if it is, and if a label outside the
// picture might live; then all of the warp do it again. That is seldom, and this way nothing waits for a branch.
__device__ __forceinline__ u32 energies_in(const PackedParams &p, const Tables &t, u32 limit, const Tile &tile, const Space &space,
                                           const Half &half, u32 at, u32 row, const Beside &beside, Ahead &rv, u32 (&e)[1][ENERGIES]) {
    u32 least[1];
    rv.wide = 0;
#if SPA_VOLUME
    const bool border = false, always = false;
#else
    const bool border = is_at_border<1>(p, rv.x), always = SPA_BLOCKS == 1;
#endif
    singletons_in(p, tile, space, half, row, always || __any_sync(FULL, border), rv);
    all_energies<SPA_SUMS == 2>(t, rv.s, beside, e, least);
#if SPA_SUMS == 1
    const bool wide = space.wide[half.colour][at / 16u] >> at % 16u & 1u;
    if (__any_sync(FULL, wide || (border && least[0] + limit > p.narrow))) {
        rv.wide = 1;
        singletons_in(p, tile, space, half, row, true, rv);
        all_energies<true>(t, rv.s, beside, e, least);
    }
#endif
    return least[0];
}

// Updates the RV at `at`; or, if it is not `on`, goes along.
template <bool LINE>
__device__ __forceinline__ void update(const PackedParams &p, const Tables &t, const Line &line, const Tile &tile, Space &space,
                                       const Half &half, u32 at, bool on, Figures &figures) {
    const Group g = group_of(tile, at / 4u);
    Ahead rv;
    rv.y = (u32)g.y;
    rv.j = (u32)g.j + at % 4u;
    rv.x = 2u * rv.j + (rv.y + half.colour & 1u);
    const u32 odd = rv.x & 1u, pitch = 4u * tile.groups, before = space.labels[half.colour][at];
    const u8 *above = space.labels[half.colour ^ 1u] + at, *other = above + odd;
    const Beside beside = {{other[-1], other[0]}, {above[-(int)pitch]}, {above[pitch]}, {before}};
    const bool own = is_own(tile, g), collected = on && own && half.now >= p.burn_in;
    uint2 entry = make_uint2(0, 0);
    if (collected) entry = *entry_at(p, half.colour, rv.y, rv.j);
    u32 e[1][ENERGIES], total;
    const u32 word = draw_word(p.key0, p.key1, rv.x, rv.y, p.chain << 24 | half.now);
    const u32 least = energies_in(p, t, line.limit, tile, space, half, at, g.line, beside, rv, e);
    const u32 label = draw_one<LINE>(p, t, line, word, least, e[0], total);
    if (!on) return;
    figures.touched += SPA_LABELS;
    figures.updated += own;
    // The best label weighs the most, every other live one at least 1.
    settle(tile, space, half.colour, at, odd, before, label, total != line.most);
    if (collected && label != before) enter(p, half.colour, rv.y, rv.j, rv.x, before, half.now, entry);
}

template <bool LINE>
__device__ __forceinline__ void half_step(const PackedParams &p, const Tables &t, const Line &line, const Tile &tile, Space &space,
                                          const Half &half, Figures &figures) {
    gather(tile, space, half);
    __syncthreads();
    u32 counts[WARPS], many = 0;
    load_counts(space, counts);
#pragma unroll
    for (u32 k = 0; k < WARPS; ++k) many += counts[k];
    for (u32 first = threadIdx.x & ~31u; first < many; first += SPA_THREADS) {
        const u32 n = first + threadIdx.x % 32u;
        update<LINE>(p, t, line, tile, space, half, find(space, counts, min(n, many - 1u)), n < many, figures);
    }
    __syncthreads();
}

// The schedule entry that a block is at.
struct Place {
    u32 step, end; // its first iteration after it
    Line line;
};

// What draws need of schedule entry `step`. Nobody may be drawing.
template <bool LINE> __device__ __forceinline__ void open_step(const PackedParams &p, u32 step, Tables &t, Place &place) {
    const Step *at = p.steps + step;
    place.step = step;
    place.end = __ldg(&at->end);
    place.line = Line{__ldg(&at->limit), __ldg(&at->scale), __ldg(&at->slope), __ldg(&at->start), __ldg(&at->bias), __ldg(at->weight)};
    if (LINE) return;
    load_weights(*at, t);
    __syncthreads();
}

struct Shared {
    __align__(16) Tables tables;
    Space space;
};

static_assert(sizeof(Shared) <= SPA_SHARED, "the host has room for this");

template <bool LINE>
__device__ __forceinline__ void sparse(const Batch &batch, u32 iteration, u32 iterations, u32 step, u32 told) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    Shared &shared = in_register(shared_memory<Shared>());
    Tables &t = shared.tables;
    Space &space = shared.space;
    load_pairs(p, t);
    Place place;
    open_step<LINE>(p, step, t, place);
    Figures figures = {0, 0};

    const u32 tiles = p.tiles[0].x, halves = 2u * iterations;
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
                const Half half = {from + s & 1u, iteration + (from + s >> 1), s};
                while (half.now >= place.end) open_step<LINE>(p, place.step + 1u, t, place);
                half_step<LINE>(p, t, place.line, tile, space, half, figures);
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
extern "C" __global__ void __launch_bounds__(256) packed_wake(const __grid_constant__ Batch batch) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    const u32 i = mine.block * 256u + threadIdx.x;
    if (i >= 2u * p.published_pitch * p.height) return;
    const u32 row = i / p.published_pitch, colour = row >= p.height, y = row - colour * p.height;
    const u32 j = 4u * (i - row * p.published_pitch);
    const u32 labels = *(const u32 *)(p.labels[colour] + (u64)(y + 1u) * p.pitch + 32u + j);
    *published(p, 0, colour, y, j) = pack_group(labels, 0x01010101u, 0);
    *published(p, 1, colour, y, j) = 0; // of no odd round
}
