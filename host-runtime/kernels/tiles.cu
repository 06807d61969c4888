// Event-driven sampling on resident tiles (tiles.cuh): only RVs that can change, and of those only labels that can be drawn
// (near.cuh); exact.
//
// One live label and unchanged neighbours mean the same label again, as long as the live set cannot grow. A bit a RV in
// shared memory says that it must be updated: it had more than one live label, or a neighbour changed. A half-step packs the
// RVs whose bit is set and spreads them over the warps. RVs that need all labels are drawn by eight lanes each.
//
// Set by the host: the macros of packed.cuh.

#define WARPS (SPA_THREADS / 32)
// Warps that share few RVs: two a scheduler.
#define FEW_WARPS (WARPS < 8 ? WARPS : 8)

// Bits j to j + 31 of row y of a plane of words.
__device__ __forceinline__ u32 bits_from(const PackedParams &p, const u32 *plane, u32 y, u32 j) {
    const u32 *word = plane + (u64)y * p.words + (j >> 5);
    const u32 low = __ldg(word), high = (j >> 5) + 1u < p.words ? __ldg(word + 1) : 0u;
    return j & 31u ? low >> (j & 31u) | high << (32u - (j & 31u)) : low;
}

// Where the RVs of a tile stand that must be updated.
struct Awake {
    u32 *bits, *valid; // of each colour `words`
    u16 *list;         // word * 32 + bit
    u32 words;
};

// Packs the RVs of a colour whose bit is set into the list and clears their bits.
__device__ __forceinline__ void gather(const Awake &awake, u32 colour, u32 *count) {
    const u32 lane = threadIdx.x & 31u, warp = threadIdx.x / 32u;
    u32 *mine = awake.bits + colour * awake.words;
    const u32 *valid = awake.valid + colour * awake.words;
    for (u32 base = 0; base < awake.words; base += 32u * WARPS) {
        const u32 word = base + warp + lane * WARPS;
        u32 bits = 0;
        if (SPA_STRIPPED != 1 && word < awake.words && mine[word]) {
            bits = mine[word] & valid[word];
            mine[word] = 0;
        }
        u32 rest = __ballot_sync(FULL, bits != 0);
        if (!rest) continue;
        const u32 total = __reduce_add_sync(FULL, __popc(bits));
        u32 at = 0;
        if (lane == 0) at = atomicAdd(count, total);
        at = __shfl_sync(FULL, at, 0);
        for (; rest; rest &= rest - 1) {
            const u32 k = __ffs(rest) - 1, b = __shfl_sync(FULL, bits, k);
            if (b >> lane & 1u)
                awake.list[at + __popc(b & ((1u << lane) - 1u))] = (u16)((base + warp + k * WARPS) << 5 | lane);
            at += __popc(b);
        }
    }
}

__device__ __forceinline__ void wake(const Tile &t, u32 *bits, u32 row, u32 column) {
    if (row < t.height && column < t.width) atomicOr(bits + row * t.words + (column >> 5), 1u << (column & 31u));
}

struct Place {
    u32 item, row, column, y, j, odd, x;
};

__device__ __forceinline__ Place place_of(const Tile &t, u32 item, u32 colour) {
    Place at = {item, (item >> 5) / t.words};
    at.column = ((item >> 5) - at.row * t.words) * 32u + (item & 31u);
    at.y = t.top + at.row;
    at.j = t.left + at.column;
    at.odd = (at.y + colour) & 1u;
    at.x = 2u * at.j + at.odd;
    return at;
}

// The RV at a place has its label.
__device__ __forceinline__ void finish(const PackedParams &p, const Tile &t, const Awake &awake, u32 colour,
                                       const Place &at, u32 own, u32 label, bool open, u32 now) {
    if (open) atomicOr(awake.bits + colour * awake.words + (at.item >> 5), 1u << (at.item & 31u));
    if (label == own) return;
    *label_at(t, colour, at.row, at.column) = (u8)label;
    commit(p, colour, at.y, at.j, at.x, own, label, now);
    u32 *others = awake.bits + (colour ^ 1u) * awake.words;
    wake(t, others, at.row - 1u, at.column);
    wake(t, others, at.row + 1u, at.column);
    wake(t, others, at.row, at.column + at.odd - 1u);
    wake(t, others, at.row, at.column + at.odd);
}

// Updates the RVs of the list.
__device__ __forceinline__ void update_list(const PackedParams &p, const Tables &tables, const Step &step, const Tile &t,
                                            const Awake &awake, u32 colour, u32 many, u32 now, Figures &figures) {
    const u32 lane = threadIdx.x & 31u, warp = threadIdx.x / 32u;
    if (many <= 4u * WARPS) {
        // So few that eight lanes are to be had for each: the shortest way to a label.
        if (4u * warp >= many) return;
        const u32 k = 4u * warp + (lane >> 3);
        const Place at = place_of(t, awake.list[min(k, many - 1u)], colour);
        const Around a = look_around(t, colour, at.odd, at.row, at.column);
        bool open;
        const u32 label = draw_octet(p, tables, step, colour, at.x, at.y, at.j, a, now, &open);
        if ((lane & 7u) > 0 || k >= many) return;
        finish(p, t, awake, colour, at, a.own, label, open, now);
        figures.updated += 1;
        figures.touched += SPA_LABELS;
        figures.all_labels += 1;
        return;
    }
    const u32 warps = min(max((u32)FEW_WARPS, (many + 31u) / 32u), (u32)WARPS), lanes = min((many + warps - 1u) / warps, 32u);
    if (warp >= warps) return;
    for (u32 base = warp * lanes; base < many; base += warps * lanes) {
        const bool on = lane < lanes && base + lane < many;
        const Place at = place_of(t, awake.list[on ? base + lane : base], colour);
        const Around a = look_around(t, colour, at.odd, at.row, at.column);
        u32 label = 0;
        bool open = false;
        if (on) {
            figures.updated += 1;
            label = draw_near(p, tables, step, colour, at.x, at.y, at.j, a, now, &open, figures);
        }
        draw_all(p, tables, step, colour, on && label == NOT_NEAR, at.x, at.y, a, now, label, open, figures);
        if (on) finish(p, t, awake, colour, at, a.own, label, open, now);
    }
}

extern "C" __global__ void __launch_bounds__(SPA_THREADS, 768 / SPA_THREADS)
packed_tiles(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step_index, u32 wake_all) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    __shared__ __align__(16) Tables tables;
    __shared__ u32 count;
    DYNAMIC_SHARED(pool);
    const Tile t = open_tile(p, mine.block, pool);
    if (t.height == 0) return;
    const Step &step = p.steps[step_index];
    if (threadIdx.x == 0) count = 0;
    load_tables(p, step, tables);
    const u32 words = t.words * t.height, lane = threadIdx.x & 31u;
    Awake awake;
    awake.words = words;
    awake.bits = (u32 *)(pool + label_bytes(t));
    awake.valid = awake.bits + 2u * words;
    awake.list = (u16 *)(awake.valid + 2u * words);
    // Every tile has as many words there as the largest.
    const u64 kept = (u64)t.index * (((p.half + tiles_across(p) - 1u) / tiles_across(p) + 31u) / 32u) *
                     ((p.height + tiles_down(p) - 1u) / tiles_down(p));
    for (u32 k = threadIdx.x; k < 2u * words; k += SPA_THREADS) {
        const u32 colour = k >= words, word = k - colour * words, row = word / t.words, column = word % t.words * 32u;
        const u32 past = t.width - column;
        const u32 valid = bits_from(p, p.valid[colour], t.top + row, t.left + column) & (past < 32u ? (1u << past) - 1u : FULL);
        awake.valid[k] = valid;
        awake.bits[k] = wake_all ? valid : __ldcg(p.active[colour] + kept + word);
    }
    Figures figures = {0, 0, 0, 0};
    for (u32 half = 0;; ++half) {
        const u32 colour = half & 1u;
        if (half > 0) refresh<true>(p, t, half, awake.bits + colour * words);
        __syncthreads();
        if (half == 2u * iterations) break;
        gather(awake, colour, &count);
        __syncthreads();
        update_list(p, tables, step, t, awake, colour, count, iteration + (half >> 1), figures);
        tell(p, t, half + 1u);
        // Nobody adds before the next meeting.
        if (threadIdx.x == 0) count = 0;
    }
    for (u32 k = threadIdx.x; k < 2u * words; k += SPA_THREADS) {
        const u32 colour = k >= words, word = k - colour * words;
        __stcg(p.active[colour] + kept + word, awake.bits[k]);
    }
    const u32 sums[4] = {figures.touched, figures.updated, figures.all_labels, figures.live};
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
        const u32 sum = __reduce_add_sync(FULL, sums[k]);
        if (lane == 0 && sum) atomicAdd(p.counters + k, (u64)sum);
    }
}
