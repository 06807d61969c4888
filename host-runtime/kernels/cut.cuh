// Tiles of unequal height, so that all have about as many awake RVs: a launch is as slow as its slowest tile.
//
// The picture is cut into stripes of equal width, and each stripe into tiles, as many as it needs for none to weigh more than the others.
// One block does it, between two launches, from what the tiles published at the end of the last one.

// Weight of an awake RV, if one that sleeps weighs 1 for being looked at.
#define AWAKE 64u

// Awake RVs, of both colours, of a group in a line.
__device__ __forceinline__ u32 awake_in(const PackedParams &p, u32 round, u32 y, u32 group) {
    if (group >= p.published_pitch) return 0;
    u32 many = 0;
#pragma unroll
    for (u32 colour = 0; colour < 2; ++colour) many += __popc(__ldcg(published(p, round, colour, y, 4u * group)) >> 24 & 15u);
    return many;
}

// What lines above `y` weigh in a stripe, for y from 0 to the height: its groups and half of the one beside it on either side.
__device__ __forceinline__ void weigh_lines(const PackedParams &p, u32 round, u32 stripe, u32 stripes, u32 *above) {
    const u32 pitch = p.height + 1u;
    for (u32 i = threadIdx.x; i < stripes * p.height; i += blockDim.x) {
        const u32 s = i / p.height, y = i - s * p.height, first = s * stripe;
        u32 twice = awake_in(p, round, y, first - 1u) + awake_in(p, round, y, first + stripe);
        for (u32 k = 0; k < stripe; ++k) twice += 2u * awake_in(p, round, y, first + k);
        above[s * pitch + y + 1u] = twice * (AWAKE / 2u) + 8u * stripe;
    }
    __syncthreads();
    // A warp sums up the lines of a stripe, 32 at a time.
    const u32 lane = threadIdx.x % 32u;
    for (u32 s = threadIdx.x / 32u; s < stripes; s += blockDim.x / 32u) {
        u32 *at = above + s * pitch, before = 0;
        if (lane == 0) at[0] = 0;
        for (u32 first = 0; first < p.height; first += 32u) {
            const u32 y = first + lane;
            const u32 sum = sum_up_to_lane<32>(y < p.height ? at[y + 1u] : 0u);
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

// Cuts the picture of a job into at most `blocks` tiles, of `stripe` groups and at most `lines` lines each; `round` finds who is awake. If it
// takes more blocks, the tiles stay as they are.
extern "C" __global__ void __launch_bounds__(1024) packed_cut(const __grid_constant__ Batch batch, u32 round, u32 blocks, u32 stripe,
                                                              u32 lines) {
    const PackedParams &p = batch.of[blockIdx.x];
    u32 *above = &shared_memory<u32>();
    __shared__ u32 best;
    const u32 stripes = (p.published_pitch + stripe - 1u) / stripe, pitch = p.height + 1u, lane = threadIdx.x % 32u;
    if (threadIdx.x == 0) best = FULL;
    weigh_lines(p, round, stripe, stripes, above);
    // Every warp tries another weight, from the mean on; the least that does is taken.
    u32 all = 0;
    for (u32 s = lane; s < stripes; s += 32u) all += above[s * pitch + p.height];
    const u32 mean = __reduce_add_sync(FULL, all) / blocks + 1u, most = mean + mean / 8u * (threadIdx.x / 32u);
    u32 many = 0;
    for (u32 s = lane; s < stripes; s += 32u) many += count_tiles(above + s * pitch, p.height, most, lines);
    if (__reduce_add_sync(FULL, many) <= blocks && lane == 0) atomicMin(&best, most);
    __syncthreads();
    if (best == FULL || threadIdx.x >= 32u) return;
    // The first warp writes them, a lane a stripe.
    u32 index = 0;
    for (u32 first = 0; first < stripes; first += 32u) {
        const u32 s = first + lane, own = s < stripes ? count_tiles(above + s * pitch, p.height, best, lines) : 0u;
        u32 place = index + sum_up_to_lane<32>(own) - own;
        for (u32 top = 0; s < stripes && top < p.height; ++place) {
            const u32 end = tile_end(above + s * pitch, p.height, top, best, lines);
            p.tiles[1u + place] = make_uint2(s * stripe | stripe << 16, top | end - top << 16);
            top = end;
        }
        index = __shfl_sync(FULL, place, 31);
    }
    if (lane == 0) p.tiles[0] = make_uint2(index, 0);
}
