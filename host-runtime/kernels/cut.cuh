// Tiles of unequal height, so that all have about as many awake RVs: a launch is as slow as its slowest tile.
//
// The picture is cut into stripes of equal width, and each stripe into tiles, as many as it needs for none to weigh more than the others.
// One block does it, between two launches, from what the tiles have written down at the end of the last one.
//
// Set by the host: SPA_CUT (tiles are cut anew).

// Weight of an awake RV, if one that sleeps weighs 1 for being looked at.
#define AWAKE 64u

// Awake RVs, of both colours, of a group.
__device__ __forceinline__ u32 awake_in(Space &space, u32 k) { return __popc(awake_of(space, 0, k)) + __popc(awake_of(space, 1, k)); }

// Writes down what the lines of the tile weigh: its groups, and half of the one beside it on either side.
__device__ __forceinline__ void store_weights(const PackedParams &p, const Tile &tile, Space &space) {
    u32 *weights = p.weights + (tile.left / 4 + (int)RIM) / (int)p.stripe * p.height;
    for (u32 line = HALO + threadIdx.x; line < tile.lines - HALO; line += SPA_THREADS) {
        const u32 y = (u32)tile.top + line, first = line * tile.groups, last = first + tile.groups - 1u;
        if (y >= p.height) break;
        u32 twice = awake_in(space, first) + awake_in(space, last);
        for (u32 k = first + 1u; k < last; ++k) twice += 2u * awake_in(space, k);
        weights[y] = twice * (AWAKE / 2u) + 8u * p.stripe;
    }
}

// What lines above `y` weigh in a stripe, for y from 0 to the height: a warp a stripe, 32 lines at a time.
__device__ __forceinline__ void sum_lines(const PackedParams &p, u32 stripes, u32 *above) {
    const u32 pitch = p.height + 1u, lane = threadIdx.x % 32u;
    for (u32 s = threadIdx.x / 32u; s < stripes; s += blockDim.x / 32u) {
        u32 *at = above + s * pitch, before = 0;
        if (lane == 0) at[0] = 0;
#pragma unroll 4
        for (u32 first = 0; first < p.height; first += 32u) {
            const u32 y = first + lane;
            const u32 sum = sum_up_to_lane<32>(y < p.height ? __ldcg(p.weights + s * p.height + y) : 0u);
            if (y < p.height) at[y + 1u] = before + sum;
            before += __shfl_sync(FULL, sum, 31);
        }
    }
    __syncthreads();
}

// Where a tile ends that begins at line `top` and may weigh `most`, half of its halo included, and have `lines` lines.
__device__ __forceinline__ u32 tile_end(const u32 *above, u32 height, u32 top, u32 most, u32 lines) {
    const u32 before = above[top > HALO / 2u ? top - HALO / 2u : 0u];
    u32 end = min(height, top + HALO), beyond = min(height, top + lines) + 1u; // The end is one of these, or between them.
    while (end + 1u < beyond) {
        const u32 middle = (end + beyond) / 2u;
        if (above[min(height, middle + HALO / 2u)] - before <= most) end = middle;
        else beyond = middle;
    }
    return end;
}

// Tiles of a stripe.
__device__ __forceinline__ u32 count_tiles(const u32 *above, u32 height, u32 most, u32 lines) {
    u32 many = 0;
    for (u32 top = 0; top < height; ++many) top = tile_end(above, height, top, most, lines);
    return many;
}

// Cuts the picture of a job into at most `blocks` tiles of at most `lines` lines. If it takes more blocks, the tiles stay as they are.
extern "C" __global__ void __launch_bounds__(1024) packed_cut(const __grid_constant__ Batch batch, u32 blocks, u32 lines) {
    const PackedParams &p = batch.of[blockIdx.x];
    u32 *above = &shared_memory<u32>();
    __shared__ u32 best;
    const u32 stripe = p.stripe, stripes = (p.published_pitch + stripe - 1u) / stripe, pitch = p.height + 1u, lane = threadIdx.x % 32u;
    if (threadIdx.x == 0) best = FULL;
    sum_lines(p, stripes, above);
    // Every warp tries another weight, from the mean on; the least that does is taken.
    u32 all = 0;
    for (u32 s = lane; s < stripes; s += 32u) all += above[s * pitch + p.height];
    const u32 mean = __reduce_add_sync(FULL, all) / blocks + 1u, most = mean + mean / 8u * (threadIdx.x / 32u);
    u32 many = 0;
    for (u32 s = lane; s < stripes; s += 32u) many += count_tiles(above + s * pitch, p.height, most, lines);
    const bool fits = __reduce_add_sync(FULL, many) <= blocks;
    if (fits && lane == 0) atomicMin(&best, most);
    __syncthreads();
    if (!fits || best != most) return;
    // The warp that tried it writes them, a lane a stripe.
    u32 index = 0;
    for (u32 first = 0; first < stripes; first += 32u) {
        const u32 s = first + lane;
        const u32 own = stripes <= 32u ? many : s < stripes ? count_tiles(above + s * pitch, p.height, most, lines) : 0u;
        u32 place = index + sum_up_to_lane<32>(own) - own;
        for (u32 top = 0; s < stripes && top < p.height; ++place) {
            const u32 end = tile_end(above + s * pitch, p.height, top, most, lines);
            p.tiles[1u + place] = make_uint2(s * stripe | stripe << 16, top | end - top << 16);
            top = end;
        }
        index = __shfl_sync(FULL, place, 31);
    }
    if (lane == 0) p.tiles[0] = make_uint2(index, 0);
}
