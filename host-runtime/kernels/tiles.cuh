// Resident tiles: every block keeps a rectangle of the field in shared memory and meets only its four neighbours, by a flag
// each, in place of all blocks at a barrier.
//
// A half-step: wait until the neighbours have finished the half-step before; take their labels along the border; update; tell.
// No tile is ever two half-steps ahead of a neighbour, and labels of one colour are written only in every other half-step, so
// what is read along a border never changes meanwhile.

__device__ __forceinline__ u32 tiles_across(const PackedParams &p) { return p.tiles & 0xffffu; }

__device__ __forceinline__ u32 tiles_down(const PackedParams &p) { return p.tiles >> 16; }

struct Tile {
    u32 index, left, top, width, height; // columns of a plane, rows
    u32 pitch, words;                    // of a row in shared memory: bytes of labels, words of bits
    u8 *labels;                          // of each colour (height + 2) x pitch, with the border of other tiles or of nothing
};

// Bytes that the labels take.
__device__ __forceinline__ u32 label_bytes(const Tile &t) { return (2u * (t.height + 2u) * t.pitch + 15u) & ~15u; }

__device__ __forceinline__ u8 *label_at(const Tile &t, u32 colour, u32 row, u32 column) {
    return t.labels + ((colour * (t.height + 2u) + row + 1u) * t.pitch + column + 1u);
}

__device__ __forceinline__ u8 *global_label(const PackedParams &p, const Tile &t, u32 colour, u32 row, u32 column) {
    // A column of ~0 is the one to the left of the tile.
    return p.labels[colour] + (u64)(t.top + row + 1u) * p.pitch + (32u + t.left + column);
}

// The tile of this block with its labels; blocks beyond the last tile get an empty one.
__device__ __forceinline__ Tile open_tile(const PackedParams &p, u32 block, u8 *pool) {
    Tile t = {block};
    const u32 a = block % tiles_across(p), b = block / tiles_across(p);
    if (b >= tiles_down(p)) return t;
    t.left = a * p.half / tiles_across(p);
    t.width = (a + 1u) * p.half / tiles_across(p) - t.left;
    t.top = b * p.height / tiles_down(p);
    t.height = (b + 1u) * p.height / tiles_down(p) - t.top;
    t.pitch = t.width + 2u;
    t.words = (t.width + 31u) / 32u;
    t.labels = pool;
    const u32 cells = (t.height + 2u) * t.pitch;
    for (u32 k = threadIdx.x; k < 2u * cells; k += SPA_THREADS) {
        const u32 colour = k >= cells, row = k % cells / t.pitch, column = k % cells % t.pitch;
        *label_at(t, colour, row - 1u, column - 1u) = __ldcg(global_label(p, t, colour, row - 1u, column - 1u));
    }
    return t;
}

// The four neighbours' labels, and the RV's own, at a place of the tile.
__device__ __forceinline__ Around look_around(const Tile &t, u32 colour, u32 odd, u32 row, u32 column) {
    if (SPA_STRIPPED == 3) return made_up(row, column);
    const u8 *other = label_at(t, colour ^ 1u, row, column);
    return Around{other[(int)odd - 1], other[odd], other[-(int)t.pitch], other[t.pitch], *label_at(t, colour, row, column)};
}

// Warps 0 to 3, a side each: waits for the tile there to finish the half-step before `half` and takes its labels; a RV
// beside one that changed is woken in `bits`, if there are any.
template <bool EVENTS>
__device__ __forceinline__ void refresh(const PackedParams &p, const Tile &t, u32 half, u32 *bits) {
    const u32 side = threadIdx.x >> 5, lane = threadIdx.x & 31u;
    if (side >= 4u) return;
    const u32 a = t.index % tiles_across(p), b = t.index / tiles_across(p);
    const bool there = side == 0 ? a > 0 : side == 1 ? a + 1u < tiles_across(p) : side == 2 ? b > 0 : b + 1u < tiles_down(p);
    if (!there) return;
    const u32 beside = side == 0 ? t.index - 1u : side == 1 ? t.index + 1u
                       : side == 2 ? t.index - tiles_across(p) : t.index + tiles_across(p);
    const u32 *flag = p.barrier + FLAGS + 8u * beside;
    while (SPA_STRIPPED < 2 && load_told(flag) < half) {
    }
    __syncwarp();
    const u32 colour = (half - 1u) & 1u, cells = side < 2u ? t.height : t.width;
    for (u32 first = lane; first < cells; first += 128u) {
        u8 now[4];
#pragma unroll
        for (u32 k = 0; k < 4; ++k) {
            const u32 cell = first + 32u * k;
            const u32 row = side < 2u ? cell : side == 2u ? ~0u : t.height;
            const u32 column = side >= 2u ? cell : side == 0 ? ~0u : t.width;
            now[k] = cell < cells ? __ldcg(global_label(p, t, colour, row, column)) : 0;
        }
#pragma unroll
        for (u32 k = 0; k < 4; ++k) {
            const u32 cell = first + 32u * k;
            if (cell >= cells) continue;
            const u32 row = side < 2u ? cell : side == 2u ? ~0u : t.height;
            const u32 column = side >= 2u ? cell : side == 0 ? ~0u : t.width;
            u8 *at = label_at(t, colour, row, column);
            if (*at == now[k]) continue;
            *at = now[k];
            if (!EVENTS) continue;
            // The RV of the tile beside the cell; in a row it is there in every other row only.
            const bool odd = (t.top + row + colour) & 1u;
            if (side == 0 ? !odd : side == 1 ? odd : false) continue;
            const u32 own_row = side == 2u ? 0u : side == 3u ? t.height - 1u : cell;
            const u32 own_column = side == 0 ? 0u : side == 1u ? t.width - 1u : cell;
            atomicOr(bits + own_row * t.words + (own_column >> 5), 1u << (own_column & 31u));
        }
    }
}

// The half-step before `half` is done, by all threads.
__device__ __forceinline__ void tell(const PackedParams &p, const Tile &t, u32 half) {
    __syncthreads();
    if (SPA_STRIPPED < 2 && threadIdx.x == 0) tell_store(p.barrier + FLAGS + 8u * t.index, half);
}
