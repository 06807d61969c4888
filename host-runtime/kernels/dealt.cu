// The sparse kernel without halos: only RVs that can change (sparse.cu); exact.
//
// Groups of four RVs of a colour are dealt to the blocks, SPA_DEAL side by side to each in turn, so that all blocks have about as much to do
// wherever in the picture RVs are awake. A block is alone on its multiprocessor; a group has a thread, which keeps its labels and who of them
// had other live labels. It publishes them as a *record* of 64 bits: labels, which of them changed, and the half-step that made it; so
// a reader waits for the data themselves, and a writer for nothing. No group is ever two half-steps ahead of one beside it, and records of
// one colour are written in every other half-step only, so one set of them is enough.
//
// Of RVs with several live labels fewer change than are drawn. While the weights of a RV are those of its last draw, that is, no neighbour
// changed and the schedule entry is the same, its random word alone tells whether it keeps its label (`Stay`); if it does, it is not awake.
//
// A half-step: the thread of a group reads the records beside it, finds which of its RVs are awake and enters them into the list of the
// block; then the block draws these, a RV a thread (draw.cuh); then the threads of the groups publish what became of them, while warps
// without groups bring the entries of labels that changed up to date.
//
// Set by the host: SPA_DEAL, SPA_GROUPS (of a block, at most), SPA_OUTBOX, SPA_SHARED (bytes of shared memory), SPA_PAIRS (0), SPA_BLOCKS (1), and
// the macros of packed.cuh.

// Labels, a byte each; bits 0..3 whether they changed, 4..7 whether others live, 8..31 half-steps done.
struct Record {
    u32 labels, state;
};

// What the thread of a group keeps of it, for a colour.
struct Kept {
    u32 labels;
    u32 open, valid; // a bit each: others live, too; in the field and not fixed
};

// A group and where its neighbours' records are, from its own of the other colour; 0 where there is none: beyond the picture the group
// itself stands for one that is not there, and what that wakes is drawn once more, to the same label.
struct Group {
    bool on;      // there is one
    u32 lookers;  // threads of its warps that have some
    u32 y, place; // of its row
    u64 *record;  // of colour 0
    int plane;    // from there to that of colour 1
    int before, after, above, below;
    Kept mine, other; // of this half-step's colour, and of the other one
};

// Labels beside the RVs of a row, of RV b bytes b and b + 1; above; below.
struct __align__(16) Labels {
    u32 row[2], above, below;
};

// Of a half-step, by its colour, what is needed until the next one.
struct Round {
    u32 own[SPA_GROUPS];      // labels before
    u16 list[4 * SPA_GROUPS]; // RVs to be drawn: four times their group, and which of it
    u32 many;                 // how many
};

struct Shared {
    __align__(16) Tables tables;
    Labels around[SPA_GROUPS];
    uint4 words[SPA_GROUPS];       // random words
    uint2 entries[4 * SPA_GROUPS]; // of RVs that were drawn, if they are collected
    u32 place[SPA_GROUPS];         // of a group: row in the upper half, place of the row
    u32 drawn[SPA_GROUPS];         // of a RV a byte: label, whether others live (OPEN), whether it is another one than before (CHANGED)
    u32 from[2][SPA_GROUPS], rest[2][SPA_GROUPS]; // of a RV of a colour a byte: words that draw its label again (`Stay`)
    Round round[2];
    u32 windows[2]; // Watch::own
    Outbox outbox;
};

static_assert(sizeof(Shared) <= SPA_SHARED, "the host has room for this");
static_assert(2 * SPA_WINDOW * 4 * SPA_GROUPS < 1 << 24, "a block's count of a window has so many bits");

#define OPEN 0x40u
#define CHANGED 0x80u

__device__ __forceinline__ u64 *record_at(const PackedParams &p, u32 colour, u32 y, u32 place) {
    return (u64 *)p.published + (u64)(colour * p.height + y) * p.published_pitch + place;
}

__device__ __forceinline__ Record record_of(u64 word) { return Record{(u32)word, (u32)(word >> 32)}; }

__device__ __forceinline__ u64 word_of(const Record &r) { return (u64)r.state << 32 | r.labels; }

// The records beside a group: of the same place, before or after it, above, below.
struct Neighbours {
    Record of[4];
};

__device__ __forceinline__ Neighbours ask(const u64 *const (&beside)[4]) {
    Neighbours n;
#pragma unroll
    for (u32 k = 0; k < 4; ++k) n.of[k] = record_of(load_told(beside[k]));
    return n;
}

// Whether one of them has not done `number` half-steps, of any group of the warp.
__device__ __forceinline__ bool is_behind(const Neighbours &n, u32 number) {
    u32 behind = 0;
#pragma unroll
    for (u32 k = 0; k < 4; ++k) behind |= (n.of[k].state & ~255u) - (number << 8);
    return SPA_WAITS && __any_sync(FULL, behind >> 31);
}

// The top seven bits of the words of four RVs, a byte each.
__device__ __forceinline__ u32 top_bits(const uint4 &words) {
    return prmt(prmt(words.x, words.y, 0x0073), prmt(words.z, words.w, 0x0073), 0x5410) >> 1 & four(127);
}

// Who of four RVs may leave its label with such words, a byte each.
__device__ __forceinline__ u32 who_leave(u32 top, u32 from, u32 rest) { return (~(top + from) | (top + rest)) >> 7 & four(1); }

// `from` of four RVs, if no word keeps the labels of those of `open`, a byte each, and every word those of the others.
__device__ __forceinline__ u32 none_stays(u32 open) { return (open ^ four(1)) << 7; }

// Waits until all groups beside this one have done `number` half-steps; which of its RVs are awake, a bit each. Random words are made
// while answers are on their way, and the second question is asked half an answer after the first.
__device__ __forceinline__ u32 look(const PackedParams &p, const Group &g, u32 colour, u32 now, u32 number, bool first, const Shared &shared, Labels &around,
                                     uint4 &words) {
    const bool odd = (g.y + colour) & 1u;
    const u64 *same = g.record + (colour ? 0 : g.plane);
    const u64 *const beside[4] = {same, same + (odd ? g.after : g.before), same + g.above, same + g.below};
    Neighbours n = ask(beside);
    const uint2 two = two_words(p, colour, now, g.y, 4u * g.place);
    const Neighbours later = ask(beside);
    const uint2 more = two_words(p, colour, now, g.y, 4u * g.place + 2u);
    words = make_uint4(two.x, two.y, more.x, more.y);
    // Another entry has other weights.
    const u32 leave = first ? g.mine.open : four_bits(who_leave(top_bits(words), shared.from[colour][threadIdx.x], shared.rest[colour][threadIdx.x]));
    if (is_behind(n, number)) {
        n = later;
        while (is_behind(n, number)) n = ask(beside);
    }
    const Record (&r)[4] = n.of;
    around.row[0] = prmt(r[0].labels, r[1].labels, odd ? 0x3210u : 0x2107u);
    around.row[1] = prmt(r[0].labels, r[1].labels, odd ? 0x4444u : 0x3333u);
    around.above = r[2].labels;
    around.below = r[3].labels;
    // Who changed of the row: those before, of the same group, and after it.
    const u32 row = ((r[1].state & 15u) * 0x101u | (r[0].state & 15u) << 4) >> (odd ? 4 : 3);
    const u32 awake = SPA_STRIPPED == 4 ? 15u : row | row >> 1 | r[2].state | r[3].state | leave;
    return SPA_STRIPPED == 1 ? 0u : awake & g.mine.valid;
}

// Enters the awake RVs of the warp's groups into the list.
__device__ __forceinline__ void gather(Round &round, u32 awake) {
    const u32 lane = threadIdx.x & 31u, below = (1u << lane) - 1u, own = __popc(awake);
    const u32 ones = ballot<1>(own), twos = ballot<2>(own), fours = ballot<4>(own);
    u32 place = 0;
    if (lane == 0) place = claim(round.many, __popc(ones) + 2u * __popc(twos) + 4u * __popc(fours));
    place = __shfl_sync(FULL, place, 0) + __popc(ones & below) + 2u * __popc(twos & below) + 4u * __popc(fours & below);
#pragma unroll
    for (u32 b = 0; b < 4; ++b) {
        if (awake >> b & 1u) round.list[place] = (u16)(4u * threadIdx.x + b);
        place += awake >> b & 1u;
    }
}

// A RV of the list.
struct Rv {
    u32 y, j, own; // its label before
};

__device__ __forceinline__ Rv rv_at(const Shared &shared, const Round &round, u32 at) {
    const u32 place = shared.place[at / 4u];
    return Rv{place >> 16, 4u * (place & 0xffffu) + at % 4u, round.own[at / 4u] >> 8u * (at % 4u) & 255u};
}

template <bool LINE>
__device__ __forceinline__ void update(const PackedParams &p, const Line &line, u32 colour, bool collected, u32 at, Shared &shared, const Round &round) {
    const u32 b = at % 4u, missing = SPA_LABELS;
    const Labels around = shared.around[at / 4u];
    const Rv rv = rv_at(shared, round, at);
    Ahead ahead;
    ahead.y = rv.y;
    ahead.j = rv.j;
    ahead.word[0] = ((const u32 *)shared.words)[at];
    uint2 entry = make_uint2(0, 0);
    if (collected) entry = __ldcg(entry_at(p, colour, rv.y, rv.j));
    look_at_samples(p, line.limit, colour, ahead);
    const u32 sides = prmt(around.row[0], around.row[1], 0x10u + 0x11u * b);
    const u32 left = ahead.x == 0 ? missing : sides & 255u, right = ahead.x + 1u < p.width ? sides >> 8 & 255u : missing;
    const u32 above = rv.y == 0 ? missing : around.above >> 8u * b & 255u;
    const u32 below = rv.y + 1u < p.height ? around.below >> 8u * b & 255u : missing;
    const Beside beside = {{left, right}, {above}, {below}, {rv.own}};
    Drawn drawn[1];
    draw_dense<LINE>(p, shared.tables, line, ahead, beside, drawn);
    // The best label weighs the most, every other live one at least 1.
    ((u8 *)shared.drawn)[at] = (u8)(drawn[0].label | (drawn[0].total != line.most ? OPEN : 0u) | (drawn[0].label != rv.own ? CHANGED : 0u));
    ((u8 *)shared.from[colour])[at] = (u8)drawn[0].stay.from;
    ((u8 *)shared.rest[colour])[at] = (u8)drawn[0].stay.rest;
    if (collected) shared.entries[at] = entry;
}

// What became of a group: kept and published. How many of its RVs changed.
__device__ __forceinline__ u32 publish(Group &g, u32 colour, u32 awake, u32 drawn, u32 number) {
    const u32 mask = four_bytes(awake) * 255u;
    g.mine.labels = (g.mine.labels & ~mask) | (drawn & mask & four(OPEN - 1u));
    g.mine.open = (g.mine.open & ~awake) | (four_bits(drawn >> 6 & four(1)) & awake);
    const u32 changed = four_bits(drawn >> 7 & four(1)) & awake;
    const Record r = {g.mine.labels, number << 8 | g.mine.open << 4 | changed};
    store_told(g.record + (colour ? g.plane : 0), word_of(r));
    return __popc(changed);
}

// Enters what changed, by the threads from `first` on.
__device__ __forceinline__ void enter_changes(const PackedParams &p, u32 colour, u32 now, Shared &shared, const Round &round, u32 first) {
    Post post = {p.log, shared.outbox};
    for (u32 n = threadIdx.x - first; n < round.many; n += SPA_THREADS - first) {
        const u32 at = round.list[n];
        if (!(((const u8 *)shared.drawn)[at] & CHANGED)) continue;
        const Rv rv = rv_at(shared, round, at);
        enter(p, colour, rv.y, rv.j, 2u * rv.j + ((rv.y + colour) & 1u), rv.own, now, shared.entries[at], post);
    }
}

__device__ __forceinline__ Kept keep(const PackedParams &p, u32 colour, u32 y, u32 place, bool on) {
    const Record r = record_of(*record_at(p, colour, y, place));
    const u32 valid = __ldg(p.valid[colour] + (u64)y * p.words + place / 8u) >> 4u * (place % 8u) & 15u;
    return Kept{r.labels, r.state >> 4 & 15u, on ? valid : 0u};
}

// The group of this thread.
__device__ __forceinline__ Group open_group(const PackedParams &p, const Share &mine) {
    const u32 pitch = p.published_pitch, all = pitch * p.height;
    const u32 dealt = (threadIdx.x / SPA_DEAL * mine.blocks + mine.block) * SPA_DEAL + threadIdx.x % SPA_DEAL, k = min(dealt, all - 1u);
    const u32 deals = (all + SPA_DEAL - 1u) / SPA_DEAL, many = (deals - min(mine.block, deals) + mine.blocks - 1u) / mine.blocks * SPA_DEAL;
    Group g;
    g.on = dealt < all;
    g.lookers = (many + 31u) & ~31u;
    g.y = k / pitch;
    g.place = k - g.y * pitch;
    g.record = at_hand(record_at(p, 0, g.y, g.place));
    g.plane = (int)all;
    g.before = at_hand(g.place > 0 ? -1 : 0);
    g.after = at_hand(g.place + 1u < pitch ? 1 : 0);
    g.above = at_hand(g.y > 0 ? -(int)pitch : 0);
    g.below = at_hand(g.y + 1u < p.height ? (int)pitch : 0);
    g.mine = keep(p, 0, g.y, g.place, g.on);
    g.other = keep(p, 1, g.y, g.place, g.on);
    return g;
}

// The labels of a group of a colour, for those who do not read records.
__device__ __forceinline__ void store_labels(const PackedParams &p, const Group &g, u32 colour, u32 labels) {
    *four_labels_at(p, colour, g.y, 4u * g.place) = with_missing(p, colour, g.y, 4u * g.place, labels);
}

// A half-step; how many RVs of this thread's group changed. `updated`: and how many it drew.
template <bool LINE>
__device__ __forceinline__ u32 half_step(const PackedParams &p, Group &g, Shared &shared, const Line &line, u32 colour, u32 now, u32 number,
                                         bool first, bool collected, u32 &updated) {
    Round &round = shared.round[colour];
    u32 awake = 0, changed = 0;
    if (threadIdx.x < g.lookers) {
        Labels around;
        uint4 words;
        awake = look(p, g, colour, now, number, first, shared, around, words);
        shared.around[threadIdx.x] = around;
        shared.words[threadIdx.x] = words;
        round.own[threadIdx.x] = g.mine.labels;
        gather(round, awake);
    }
    __syncthreads();
    const u32 all = round.many;
    if (threadIdx.x == 0) shared.round[colour ^ 1u].many = 0;
    // The last warp is the first that has nothing to draw.
    if (collected && threadIdx.x >= SPA_THREADS - 32u) collect_post(p.log, shared.outbox, SPA_OUTBOX / 2u);
    for (u32 n = threadIdx.x; n < all; n += SPA_THREADS) {
        update<LINE>(p, line, colour, collected, round.list[n], shared, round);
        ++updated;
    }
    __syncthreads();
    if (g.on) changed = publish(g, colour, awake, shared.drawn[threadIdx.x], number + 1u);
    // What nobody waits for is for warps without a group, if there are any.
    const u32 helpers = g.lookers < SPA_THREADS ? g.lookers : 0u;
    if (collected && threadIdx.x >= helpers) enter_changes(p, colour, now, shared, round, helpers);
    const Kept mine = g.mine;
    g.mine = g.other;
    g.other = mine;
    return changed;
}

template <bool LINE>
__device__ __forceinline__ void dealt(const Batch &batch, u32 iteration, u32 iterations, u32 step, u32 told, u32 slot, u32 few, u32 launch) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    Shared &shared = in_register(shared_memory<Shared>());
    Group g = open_group(p, mine);
    if (threadIdx.x < g.lookers) {
        shared.place[threadIdx.x] = g.y << 16 | g.place;
        const u32 open[2] = {g.mine.open, g.other.open};
#pragma unroll
        for (u32 k = 0; k < 2; ++k) {
            shared.from[k][threadIdx.x] = none_stays(four_bytes(open[k]));
            shared.rest[k][threadIdx.x] = 0;
        }
    }
    if (threadIdx.x < 2) shared.round[threadIdx.x].many = shared.windows[threadIdx.x] = 0;
    if (threadIdx.x == 0) shared.outbox.many = 0;
    const Watch watch = open_watch(p, few, launch, shared.windows);
    load_pairs(p, shared.tables);
    Place place;
    open_step<LINE>(p, step, shared.tables, place);
    __syncthreads();
    u32 drew = 0;
    const auto step_on = [&](u32 colour, u32 now, u32 number, bool collected) {
        return half_step<LINE>(p, g, shared, place.line, colour, now, number, now == place.begin, collected, drew);
    };
    const u32 changed = __reduce_add_sync(FULL, run_half_steps<LINE>(p, shared.tables, place, iteration, iterations, told, watch, step_on));
    const u32 updated = __reduce_add_sync(FULL, drew);
    __syncthreads();
    if (threadIdx.x < 32u) collect_post(p.log, shared.outbox, 0);
    if (g.on) {
        store_labels(p, g, 0, g.mine.labels);
        store_labels(p, g, 1, g.other.labels);
    }
    if (few == NEVER) count_for_host(p, slot, changed);
    if ((threadIdx.x & 31u) == 0 && updated) {
        atomicAdd(p.counters, (u64)updated * SPA_LABELS);
        atomicAdd(p.counters + 1, (u64)updated);
    }
}

extern "C" __global__ void __launch_bounds__(SPA_THREADS, SPA_BLOCKS)
packed_dealt(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step, u32 told, u32 slot, u32 few, u32 launch) {
    dealt<true>(batch, iteration, iterations, step, told, slot, few, launch);
}

// For temperatures whose thresholds lie on no line.
extern "C" __global__ void __launch_bounds__(SPA_THREADS, SPA_BLOCKS)
packed_dealt_table(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step, u32 told, u32 slot, u32 few, u32 launch) {
    dealt<false>(batch, iteration, iterations, step, told, slot, few, launch);
}

// All RVs must be updated, with the labels of the planes; no half-step is done.
extern "C" __global__ void __launch_bounds__(256) packed_dealt_open(const __grid_constant__ Batch batch) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    const u32 i = mine.block * 256u + threadIdx.x;
    if (i >= 2u * p.published_pitch * p.height) return;
    const u32 row = i / p.published_pitch, colour = row >= p.height, y = row - colour * p.height, place = i - row * p.published_pitch;
    const u32 labels = *four_labels_at(p, colour, y, 4u * place);
    *record_at(p, colour, y, place) = word_of(Record{labels, 0xf0u});
}
