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
// Set by the host: SPA_CELLS (RVs of a colour in a tile with its halo, at least), SPA_LEFT and SPA_RIGHT (bytes of the pictures of a tile, at
// least), SPA_COSTS (bytes of alpha*S of all labels; these three are 0 where singletons are made otherwise), SPA_SHARED (bytes of shared memory).

#define HALO 8u
#define ROUND (HALO - 1u)
#define RIM (HALO / 8u) // groups

#define WARPS (SPA_THREADS / 32u)
#define SHARE (SPA_CELLS / WARPS)
#define WORDS (SPA_CELLS / 4 / SPA_THREADS) // of four RVs, of a lane

static_assert(WARPS % 4 == 0 && SPA_CELLS == 4 * WORDS * SPA_THREADS, "counts are read, and RVs looked at, four at once");

struct Tile {
    int left, top;     // RV of a plane in the first group, halo included; may be outside
    u32 groups, lines; // halo included
    u32 words;         // groups of all lines
    u32 inverse, rim;  // inverse_of(groups), and of those without the halo
};

// 2^32 / divisor, rounded up, for divisors of 2 and more: the upper word of k times this is k / divisor, for small k.
__device__ __forceinline__ u32 inverse_of(u32 divisor) { return FULL / divisor + 1u; }

struct __align__(16) Space {
    u32 counts[WARPS];      // RVs that are awake: how many each warp found,
    u16 list[WARPS][SHARE]; // and which
    u8 labels[2][SPA_CELLS], awake[2][SPA_CELLS]; // line * 4 groups + place
    u8 until[2][SPA_CELLS];                       // first half-step of a round that cannot update it
#if SPA_SUMS == 1
    u16 wide[2][SPA_CELLS / 16]; // a bit each, as in PackedParams
#endif
#if SPA_LEFT
    u32 right[SPA_RIGHT / 4]; // pixels of the right picture, for all labels of the tile
    u8 left[SPA_LEFT];        // and of the left one
#endif
#if SPA_COSTS
    u32 costs[2][SPA_CELLS * QUADS]; // alpha*S of all labels
#endif
};

__device__ __forceinline__ u32 &labels_of(Space &space, u32 colour, u32 k) { return ((u32 *)space.labels[colour])[k]; }

__device__ __forceinline__ u32 &awake_of(Space &space, u32 colour, u32 k) { return ((u32 *)space.awake[colour])[k]; }

// A tile is two words: its first group and its groups, its first line and its lines, 16 bits each. Before all stands how many there are.
__device__ __forceinline__ Tile open_tile(const PackedParams &p, u32 index) {
    const uint2 at = p.tiles[1u + index];
    Tile tile;
    tile.left = 4 * (int)(at.x & 0xffffu) - 4 * (int)RIM;
    tile.top = (int)(at.y & 0xffffu) - (int)HALO;
    tile.groups = (at.x >> 16) + 2u * RIM;
    tile.lines = (at.y >> 16) + 2u * HALO;
    tile.words = tile.groups * tile.lines;
    tile.inverse = inverse_of(tile.groups);
    tile.rim = inverse_of(at.x >> 16);
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
    return six | four_bits(awake) << 24 | round << 28;
}

__device__ __forceinline__ u32 packed_labels(u32 word) {
    return (word & 63u) | (word & 0xfc0u) << 2 | (word & 0x3f000u) << 4 | (word & 0xfc0000u) << 6;
}

// Until when RVs can be updated: at distance d from the edge, for d half-steps; not at all if fixed or outside the field.
__device__ __forceinline__ void load_until(const PackedParams &p, const Tile &tile, Space &space) {
    for (u32 i = threadIdx.x; i < SPA_CELLS / 2u; i += SPA_THREADS) {
        const u32 colour = i >= SPA_CELLS / 4u;
        const Group g = group_of(tile, i - colour * (SPA_CELLS / 4u));
        u32 until = 0;
        if (g.line < tile.lines && is_inside(p, g)) {
            const u32 valid = __ldg(p.valid[colour] + (u64)g.y * p.words + (u32)g.j / 32u) >> (u32)g.j % 32u & 15u;
            // Only those of the first and of the last group are nearer to the side than the halo is wide.
            const u32 odd = (u32)(g.y + (int)colour) & 1u, rows = min(min(g.line, tile.lines - 1u - g.line), HALO);
            const u32 left = g.place == 0 ? 0x06040200u + four(odd) : four(HALO);
            const u32 right = g.place + 1u == tile.groups ? 0x01030507u - four(odd) : four(HALO);
            until = __vminu4(__vminu4(left, right), four(rows)) & four_bytes(valid) * 255u;
        }
        ((u32 *)space.until[colour])[g.k] = until;
    }
}

#if SPA_SUMS == 1
__device__ __forceinline__ void load_wide(const PackedParams &p, const Tile &tile, Space &space) {
    const u32 all = (tile.groups * tile.lines + 3u) / 4u;
    for (u32 i = threadIdx.x; i < 2u * all; i += SPA_THREADS) {
        const u32 colour = i >= all, k = i - colour * all;
        u32 bits = 0;
#pragma unroll
        for (u32 n = 0; n < 4; ++n) {
            const Group g = group_of(tile, 4u * k + n);
            if (!is_inside(p, g)) continue;
            const u32 word = __ldg(p.wide[colour] + (u64)g.y * p.words + (u32)g.j / 32u);
            bits |= (word >> (u32)g.j % 32u & 15u) << 4u * n;
        }
        space.wide[colour][k] = (u16)bits;
    }
}
#endif

#if SPA_LEFT
// Words of a line of the right picture: the tile's pixels and as many as there are labels to the left; odd, for the banks.
__device__ __forceinline__ u32 right_words(const Tile &tile) { return 2u * tile.groups + QUADS + 2u | 1u; }

// Word of a row of the right picture that is the first of a tile's.
__device__ __forceinline__ int right_first(const PackedParams &p, const Tile &tile) {
    return ((int)p.second_origin + 2 * tile.left + p.first_offset >> 2) - QUADS;
}

__device__ __forceinline__ void load_pictures(const PackedParams &p, const Tile &tile, Space &space) {
    const u32 width = 8u * tile.groups, words = right_words(tile);
    for (u32 i = threadIdx.x; i < width * tile.lines; i += SPA_THREADS) {
        const u32 line = i / width, x = (u32)(2 * tile.left) + i - line * width, y = (u32)(tile.top + (int)line);
        if (x < p.width && y < p.height) space.left[i] = __ldg(p.first + (u64)y * p.width + x);
    }
    for (u32 i = threadIdx.x; i < words * tile.lines; i += SPA_THREADS) {
        const u32 line = i / words, at = (u32)(right_first(p, tile) + (int)(i - line * words)), y = (u32)(tile.top + (int)line);
        if (at < p.second_pitch / 4u && y < p.height)
            space.right[i] = __ldg((const u32 *)(p.second + (u64)y * p.second_pitch) + at);
    }
}

// Pixels of the RV at column x on a line of the tile.
__device__ __forceinline__ Pixels<1> pixels_in(const PackedParams &p, const Tile &tile, const Space &space, u32 line, u32 x) {
    const u32 start = p.second_origin + x + p.first_offset;
    const u8 left = space.left[line * 8u * tile.groups + x - (u32)(2 * tile.left)];
    return Pixels<1>{{left}, space.right + line * right_words(tile) + ((int)(start >> 2) - right_first(p, tile)), start & 3u};
}
#endif

#if SPA_COSTS
__device__ __forceinline__ void load_costs(const PackedParams &p, const Tile &tile, Space &space) {
    const u32 size = 4u * tile.words;
    for (u32 i = threadIdx.x; i < 2u * size; i += SPA_THREADS) {
        const u32 colour = i >= size, k = i - colour * size;
        const Group g = group_of(tile, k / 4u);
        const u32 j = (u32)g.j + k % 4u;
        if (!is_inside(p, g) || j >= p.half) continue;
        u32 s[1][QUADS];
        volume_singletons<1>(p, colour, (u32)g.y, j, s);
#pragma unroll
        for (int q = 0; q < QUADS; ++q) space.costs[colour][k * QUADS + q] = s[0][q];
    }
}
#endif

// What round `round` finds: the whole tile, or its halo.
__device__ __forceinline__ void load_tile(const PackedParams &p, const Tile &tile, u32 round, bool whole, Space &space) {
    const Part part = {tile.groups, tile.lines, tile.inverse, whole};
    const u32 size = size_of(part);
    for (u32 i = threadIdx.x; i < 2u * size; i += SPA_THREADS) {
        const u32 colour = i >= size;
        const Group g = part_at(tile, part, i - colour * size, 0, 0);
        const bool inside = is_inside(p, g);
        if (!whole && !inside) continue;
        u32 labels = four(SPA_LABELS), awake = 0;
        if (inside) {
            const u32 *at = published(p, round, colour, g.y, g.j);
            u32 word = load_told(at);
            while (SPA_WAITS && word >> 28 != (round & 15u)) word = load_told(at);
            labels = with_missing(p, colour, (u32)g.y, (u32)g.j, packed_labels(word));
            awake = four_bytes(word >> 24 & 15u);
        }
        labels_of(space, colour, g.k) = labels;
        awake_of(space, colour, g.k) = awake;
    }
    if (whole) {
        load_until(p, tile, space);
#if SPA_SUMS == 1
        load_wide(p, tile, space);
#endif
#if SPA_LEFT
        load_pictures(p, tile, space);
#endif
#if SPA_COSTS
        load_costs(p, tile, space);
#endif
    }
    __syncthreads();
}

// What the next round, `round`, finds: the whole tile, or its rim; at the end of a launch also in the planes of labels.
__device__ __forceinline__ void store_tile(const PackedParams &p, const Tile &tile, u32 round, bool whole, bool last, Space &space) {
    const u32 groups = tile.groups - 2u * RIM;
    const Part part = {groups, tile.lines - 2u * HALO, tile.rim, whole};
    const u32 size = size_of(part);
    for (u32 i = threadIdx.x; i < 2u * size; i += SPA_THREADS) {
        const u32 colour = i >= size;
        const Group g = part_at(tile, part, i - colour * size, HALO, RIM);
        if (!is_inside(p, g)) continue;
        const u32 labels = labels_of(space, colour, g.k);
        store_told(published(p, round, colour, g.y, g.j), pack_group(labels, awake_of(space, colour, g.k), round));
        if (last) __stcg(four_labels_at(p, colour, (u32)g.y, (u32)g.j), labels);
    }
}
