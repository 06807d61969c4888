// A tile of the picture in shared memory, with a halo: what event-driven sampling works on (sparse.cu).
//
// A block keeps the labels of its tile and of HALO pixels around it, so that it can go on for some half-steps without other blocks: a
// RV at distance d from the tile has what it needs for HALO - d of them, and its random numbers depend on nothing but its place and
// the iteration, so that whoever updates it finds the same label. After a *round* of ROUND half-steps, in all of which the RVs beside the
// tile could be updated, so that the tile knows what they woke, blocks publish the rim of their tiles and read their halos anew.
// Where there are more tiles than blocks, a block has several in turn and publishes them whole.
//
// Groups are four RVs of a colour side by side: a word of labels, and a word of bytes that say who is awake, that is, must be updated.
// What is published is a word a group as well, with the number of its round: who reads waits for the words themselves.
//
// Set by the host: SPA_CELLS (RVs of a colour in a tile with its halo, at least).

#define HALO 8u
#define ROUND (HALO - 1u)
#define RIM (HALO / 8u) // groups

struct Tile {
    int left, top;     // RV of a plane in the first group, halo included; may be outside
    u32 groups, lines; // halo included; groups are a multiple of four
    u32 inverse;       // inverse_of(groups)
};

// 2^32 / divisor, rounded up, for divisors of 2 and more: the upper word of k times this is k / divisor, for small k.
__device__ __forceinline__ u32 inverse_of(u32 divisor) { return FULL / divisor + 1u; }

struct __align__(16) Space {
    u8 labels[2][SPA_CELLS], awake[2][SPA_CELLS]; // line * 4 groups + place
    u16 valid[2][SPA_CELLS / 16];                 // a bit each: in the field and not fixed
    u16 list[SPA_CELLS];
    u32 many[2]; // of the list, of this half-step and of the next
};

__device__ __forceinline__ u32 &labels_of(Space &space, u32 colour, u32 k) { return ((u32 *)space.labels[colour])[k]; }

__device__ __forceinline__ u32 &awake_of(Space &space, u32 colour, u32 k) { return ((u32 *)space.awake[colour])[k]; }

__device__ __forceinline__ Tile open_tile(const PackedParams &p, u32 index) {
    const u32 row = index / p.tiles_across, column = index - row * p.tiles_across;
    Tile tile;
    tile.left = 4 * (int)(column * p.tile_groups) - 4 * (int)RIM;
    tile.top = (int)(row * p.tile_lines) - (int)HALO;
    tile.groups = p.tile_groups + 2u * RIM;
    tile.lines = p.tile_lines + 2u * HALO;
    tile.inverse = inverse_of(tile.groups);
    return tile;
}

// A group of a tile: number k, place in a line.
struct Group {
    u32 k, line, place;
    int y, j; // in its plane, of the first RV
};

__device__ __forceinline__ Group group_at(const Tile &tile, u32 line, u32 place) {
    return Group{line * tile.groups + place, line, place, tile.top + (int)line, tile.left + 4 * (int)place};
}

__device__ __forceinline__ Group group_of(const Tile &tile, u32 k) {
    const u32 line = __umulhi(k, tile.inverse);
    return group_at(tile, line, k - line * tile.groups);
}

__device__ __forceinline__ bool is_inside(const PackedParams &p, const Group &g) { return (u32)g.y < p.height && (u32)g.j < p.half; }

// Whether a group belongs to the tile, not to its halo.
__device__ __forceinline__ bool is_own(const Tile &tile, const Group &g) {
    return g.line - HALO < tile.lines - 2u * HALO && g.place - RIM < tile.groups - 2u * RIM;
}

// Lines and groups of a rectangle, or of the ring HALO wide inside it: how many groups there are, and which is the i-th. Where the ring
// is all there is, some are told twice.
struct Part {
    u32 groups, lines, inverse;
    bool whole;
};

__device__ __forceinline__ u32 size_of(const Part &part) {
    if (part.whole) return part.groups * part.lines;
    return 2u * HALO * part.groups + 2u * RIM * (part.lines > 2u * HALO ? part.lines - 2u * HALO : 0u);
}

// The i-th, in a tile where the rectangle begins at line and group `from`.
__device__ __forceinline__ Group part_at(const Tile &tile, const Part &part, u32 i, u32 from_line, u32 from_place) {
    const u32 caps = 2u * HALO * part.groups;
    u32 line, place;
    if (part.whole || i < caps) {
        line = part.groups == 1 ? i : __umulhi(i, part.inverse);
        place = i - line * part.groups;
        if (!part.whole && line >= HALO && part.lines > 2u * HALO) line += part.lines - 2u * HALO;
        line = min(line, part.lines - 1u);
    } else {
        line = HALO + (i - caps) / 2u;
        place = (i - caps) % 2u ? part.groups - 1u : 0u;
    }
    return group_at(tile, from_line + line, from_place + place);
}

// Where a group is published: round r reads set r % 2 and writes the other one.
__device__ __forceinline__ u32 *published(const PackedParams &p, u32 round, u32 colour, u32 y, u32 j) {
    return p.published + ((u64)(2u * (round & 1u) + colour) * p.height + y) * p.published_pitch + j / 4u;
}

// Four labels, who is awake, and the round, modulo 16, that finds them: 24, 4 and 4 bits.
__device__ __forceinline__ u32 pack_group(u32 labels, u32 awake, u32 round) {
    const u32 six = (labels & 63u) | (labels >> 2 & 0xfc0u) | (labels >> 4 & 0x3f000u) | (labels >> 6 & 0xfc0000u);
    return six | (awake * 0x01020408u >> 24 & 15u) << 24 | round << 28;
}

__device__ __forceinline__ u32 packed_labels(u32 word) {
    return (word & 63u) | (word & 0xfc0u) << 2 | (word & 0x3f000u) << 4 | (word & 0xfc0000u) << 6;
}

// A byte each of four bits.
__device__ __forceinline__ u32 four_bytes(u32 bits) { return bits * 0x00204081u & 0x01010101u; }

// The labels of a group with those beyond the picture as missing neighbours.
__device__ __forceinline__ u32 with_missing(const PackedParams &p, u32 colour, const Group &g, u32 labels) {
    const u32 x = 2u * (u32)g.j + ((u32)g.y + colour & 1u);
    if (x + 6u < p.width) return labels;
    const u32 beyond = FULL << 8u * ((p.width - x + 1u) / 2u);
    return labels & ~beyond | four(SPA_LABELS) & beyond;
}

// Which RVs of the tile are in the field and not fixed.
__device__ __forceinline__ void load_valid(const PackedParams &p, const Tile &tile, Space &space) {
    const u32 all = tile.groups / 4u * tile.lines;
    for (u32 i = threadIdx.x; i < 2u * all; i += SPA_THREADS) {
        const u32 colour = i >= all, k = i - colour * all;
        u32 bits = 0;
#pragma unroll
        for (u32 n = 0; n < 4; ++n) {
            const Group g = group_of(tile, 4u * k + n);
            if (!is_inside(p, g)) continue;
            const u32 word = __ldg(p.valid[colour] + (u64)g.y * p.words + (u32)g.j / 32u);
            bits |= (word >> (u32)g.j % 32u & 15u) << 4u * n;
        }
        space.valid[colour][k] = (u16)bits;
    }
}

// What round `round` finds: the whole tile, or its halo.
__device__ __forceinline__ void load_tile(const PackedParams &p, const Tile &tile, u32 round, bool whole, Space &space) {
    const Part part = {tile.groups, tile.lines, tile.inverse, whole};
    const u32 size = size_of(part);
    if (threadIdx.x < 2u) space.many[threadIdx.x] = 0;
    for (u32 i = threadIdx.x; i < 2u * size; i += SPA_THREADS) {
        const u32 colour = i >= size;
        const Group g = part_at(tile, part, i - colour * size, 0, 0);
        const bool inside = is_inside(p, g);
        if (!whole && !inside) continue;
        u32 labels = four(SPA_LABELS), awake = 0;
        if (inside) {
            const u32 *at = published(p, round, colour, g.y, g.j);
            u32 word = load_told(at);
            while (SPA_STRIPPED < 2 && word >> 28 != (round & 15u)) word = load_told(at);
            labels = with_missing(p, colour, g, packed_labels(word));
            awake = four_bytes(word >> 24 & 15u);
        }
        labels_of(space, colour, g.k) = labels;
        awake_of(space, colour, g.k) = awake;
    }
    if (whole) load_valid(p, tile, space);
    __syncthreads();
}

// What the next round, `round`, finds: the whole tile, or its rim; at the end of a launch also in the planes of labels.
__device__ __forceinline__ void store_tile(const PackedParams &p, const Tile &tile, u32 round, bool whole, bool last, Space &space) {
    const u32 groups = tile.groups - 2u * RIM;
    const Part part = {groups, tile.lines - 2u * HALO, inverse_of(groups), whole};
    const u32 size = size_of(part);
    for (u32 i = threadIdx.x; i < 2u * size; i += SPA_THREADS) {
        const u32 colour = i >= size;
        const Group g = part_at(tile, part, i - colour * size, HALO, RIM);
        if (!is_inside(p, g)) continue;
        const u32 labels = labels_of(space, colour, g.k);
        store_told(published(p, round, colour, g.y, g.j), pack_group(labels, awake_of(space, colour, g.k), round));
        if (last) __stcg((u32 *)(p.labels[colour] + (u64)(g.y + 1) * p.pitch + 32u + g.j), labels);
    }
}
