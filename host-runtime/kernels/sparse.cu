// The sparse packed kernel: only RVs that can change; exact.
//
// RVs (event-driven Gibbs sampling): one live label and unchanged neighbours mean the same label again, as long as the
// live set cannot grow. A RV is awake, that is, must be updated, if it had more than one live label or a neighbour changed.
//
// A block has a tile with a halo (tile.cuh). In a half-step its warps pack those of its RVs that are awake into one list; then the block
// draws them, a RV a lane, among all labels (draw.cuh). Everything that half-steps hand on is in shared memory.
//
// Set by the host: SPA_BLOCKS (of a multiprocessor), SPA_PAIRS (0), SPA_EACH (RVs that a lane looks at to find those that are awake: 4, or
// 16 where there are many), and the macros of packed.cuh and tile.cuh.

// What a half-step is about.
struct Half {
    u32 colour, now; // its iteration
    u32 s;           // its number in the round
};

// Labels touched and RVs of the tile updated.
struct Figures {
    u32 touched, updated;
};

// RVs k * SPA_EACH and on, side by side: which are awake, not fixed, and can still be updated (tile.cuh), a bit each.
__device__ __forceinline__ u32 awake_of_each(const Tile &tile, const Space &space, const Half &half, u32 k) {
    const u32 row = 4u * tile.groups / SPA_EACH, line = __umulhi(k * SPA_EACH / 4u, tile.inverse), place = k - line * row;
    const u8 *awake = space.awake[half.colour] + k * SPA_EACH;
    u32 bits = SPA_STRIPPED == 1 ? 0u : (*(const u32 *)awake * 0x01020408u) >> 24;
#if SPA_EACH == 16
    const uint4 bytes = *(const uint4 *)awake;
#pragma unroll
    for (u32 n = 1; n < 4; ++n) bits |= SPA_STRIPPED == 1 ? 0u : at(bytes, n) * 0x01020408u >> 24 << 4u * n;
#endif
    // Their pixels: 2b + odd. The first s + 1 and the last s + 1 of a line are out.
    const u32 odd = (u32)(tile.top + (int)(line + half.colour)) & 1u;
    if (place == 0) bits &= FULL << (half.s + 2u - odd) / 2u;
    if (place + 1u == row) bits &= (1u << (2u * SPA_EACH - half.s - odd) / 2u) - 1u;
    return bits & space.valid[half.colour][k * SPA_EACH / 16u] >> k * SPA_EACH % 16u;
}

// Packs the awake RVs into the list. The first s + 1 and the last s + 1 lines are out.
__device__ __forceinline__ void gather(const Tile &tile, Space &space, const Half &half) {
    const u32 lane = threadIdx.x & 31u, below = (1u << lane) - 1u;
    const u32 row = 4u * tile.groups / SPA_EACH, end = (tile.lines - 1u - half.s) * row;
    for (u32 first = (half.s + 1u) * row + (threadIdx.x & ~31u); first < end; first += SPA_THREADS) {
        const u32 k = first + lane;
        u32 bits = k < end ? awake_of_each(tile, space, half, k) : 0u;
        // How many there are, and how many of the lanes before this one: by the bits of SPA_EACH at most.
        const u32 own = __popc(bits);
        u32 many = 0, place = 0;
#pragma unroll
        for (u32 b = 0; 1u << b <= SPA_EACH; ++b) {
            const u32 lanes = __ballot_sync(FULL, own >> b & 1u);
            many += __popc(lanes) << b;
            place += __popc(lanes & below) << b;
        }
        if (many == 0) continue;
        u32 before = 0;
        if (lane == 0) before = atomicAdd(space.many + half.colour, many);
        place += __shfl_sync(FULL, before, 0);
#if SPA_EACH == 4
#pragma unroll
        for (u32 b = 0; b < 4; ++b) {
            if (bits >> b & 1u) space.list[place] = (u16)(4u * k + b);
            place += bits >> b & 1u;
        }
#else
        for (; bits; bits &= bits - 1u) space.list[place++] = (u16)(SPA_EACH * k + __ffs(bits) - 1u);
#endif
    }
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

// Updates the RVs of the list.
template <bool LINE>
__device__ __forceinline__ void update_list(const PackedParams &p, const Tables &t, const Line &line, const Tile &tile, Space &space,
                                            const Half &half, u32 many, Figures &figures) {
    for (u32 n = threadIdx.x; n < many; n += SPA_THREADS) {
        const u32 at = space.list[n];
        const Group g = group_of(tile, at / 4u);
        const bool own = is_own(tile, g), collected = own && half.now >= p.burn_in;
        Ahead rv;
        rv.y = (u32)g.y;
        rv.j = (u32)g.j + at % 4u;
        rv.on = 1;
        look_ahead(p, line.limit, half.colour, half.now, rv);
        uint2 entry = make_uint2(0, 0);
        if (collected) entry = __ldcg(entry_at(p, half.colour, rv.y, rv.j));
        const u32 odd = rv.x & 1u, pitch = 4u * tile.groups, before = space.labels[half.colour][at];
        const u8 *above = space.labels[half.colour ^ 1u] + at, *other = above + odd;
        const Beside beside = {{other[-1], other[0]}, {above[-(int)pitch]}, {above[pitch]}, {before}};
        u32 labels[1], totals[1];
        draw_dense<LINE>(p, t, line, rv, beside, labels, totals);
        figures.touched += SPA_LABELS;
        figures.updated += own;
        // The best label weighs the most, every other live one at least 1.
        settle(tile, space, half.colour, at, odd, before, labels[0], totals[0] != line.most);
        if (collected && labels[0] != before) enter(p, half.colour, rv.y, rv.j, rv.x, before, half.now, entry);
    }
}

template <bool LINE>
__device__ __forceinline__ void half_step(const PackedParams &p, const Tables &t, const Line &line, const Tile &tile, Space &space,
                                          const Half &half, Figures &figures) {
    gather(tile, space, half);
    __syncthreads();
    if (threadIdx.x == 0) space.many[half.colour ^ 1u] = 0;
    update_list<LINE>(p, t, line, tile, space, half, space.many[half.colour], figures);
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

template <bool LINE>
__device__ __forceinline__ void sparse(const Batch &batch, u32 iteration, u32 iterations, u32 step, u32 told) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    __shared__ __align__(16) Tables tables;
    __shared__ Space shared;
    Tables &t = in_register(tables);
    Space &space = in_register(shared);
    load_pairs(p, t);
    Place place;
    open_step<LINE>(p, step, t, place);
    Figures figures = {0, 0};

    const u32 tiles = p.tiles_across * p.tiles_down, halves = 2u * iterations;
    const bool several = tiles > mine.blocks;
    for (u32 from = 0, round = told; from < halves; from += ROUND, ++round) {
        const bool last = from + ROUND >= halves;
        const u32 first = place.step;
        for (u32 index = mine.block; index < tiles; index += mine.blocks) {
            const Tile tile = open_tile(p, index);
            load_tile(p, tile, round, several || from == 0, space);
            if (place.step != first) open_step<LINE>(p, first, t, place);
            for (u32 s = 0; s < min(ROUND, halves - from); ++s) {
                const Half half = {from + s & 1u, iteration + (from + s >> 1), s};
                while (half.now >= place.end) open_step<LINE>(p, place.step + 1u, t, place);
                half_step<LINE>(p, t, place.line, tile, space, half, figures);
            }
            store_tile(p, tile, round + 1u, several || last, last, space);
            __syncthreads();
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
