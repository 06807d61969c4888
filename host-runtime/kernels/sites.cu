// The dense kernel of small pictures: every label of every RV in every half-step.
//
// A thread has a *site*, a RV of each colour side by side, and keeps their labels and label entries in registers. Warps of 32 sites side by
// side are dealt to the blocks in turn; a block is alone on its multiprocessor. A RV is published as a *record*, a word with its label and
// the half-step that made it. So a reader waits for the data themselves, and a writer for nothing. Only warps wait for each other: for
// those above, below, and at the ends of theirs, so that some draw while others ask. No RV is ever two half-steps ahead of one beside it,
// and records of one colour are written in every other half-step only, so one set of them is enough.
//
// Set by the host: SPA_EACH (sites of a thread), SPA_OUTBOX, SPA_SHARED (bytes of shared memory), SPA_PAIRS (0), SPA_BLOCKS (1), and the
// macros of packed.cuh.

// A record: the label, and from this bit on half-steps done.
#define NUMBER 7

// Around the picture: a missing neighbour that never changes and has always done what others wait for.
#define BEYOND (FULL << NUMBER | SPA_LABELS)

__device__ __forceinline__ u32 label_of(u32 record) { return record & (1u << NUMBER) - 1u; }

// What a thread keeps of a RV.
struct Kept {
    u32 label;
    u32 word;    // random, of this iteration
    uint2 entry; // if it is collected
};

// Of a site, a bit each; of colour 1 always the next bit.
#define IN 1u   // in the picture
#define FREE 4u // and in the field and not fixed
#define END 16u // another warp has the RV at the side that is not of this site

// In shared memory: worked out anew in every half-step it would take as long as a question.
struct __align__(16) Site {
    u32 record; // index of its record of colour 0
    u32 y, j, is;
};

struct Shared {
    __align__(16) Tables tables;
    Site sites[SPA_EACH * SPA_THREADS];
    Outbox boxes[SPA_THREADS / 32];
    u32 windows[2]; // place.cuh
};

static_assert(sizeof(Shared) <= SPA_SHARED, "the host has room for this");
static_assert(2 * SPA_WINDOW * SPA_EACH * SPA_THREADS < 1 << 24, "a block's count of a window has so many bits");

// A plane of records has a row more at either end, and columns beyond the picture that stand beside both ends of a row. An even number of
// columns, so that RVs which share random words are of one warp.
__device__ __forceinline__ u32 record_pitch(const PackedParams &p) { return (p.half + 2u) & ~1u; }

__device__ __forceinline__ u32 record_of(const PackedParams &p, const Site &s, u32 colour) {
    return s.record + (colour ? (p.height + 2u) * record_pitch(p) : 0u);
}

// Which records other warps have of those beside a RV.
struct Question {
    u32 side, above, below;
    bool at_end; // the one at its side is of another warp
};

struct Answers {
    u32 side, above, below;
};

__device__ __forceinline__ Question question(const PackedParams &p, const Site &s, u32 colour) {
    const u32 same = record_of(p, s, colour ^ 1u), pitch = record_pitch(p);
    return Question{same - 1u + 2u * ((s.y + colour) & 1u), same - pitch, same + pitch, (s.is & END << colour) != 0};
}

__device__ __forceinline__ Answers ask(const PackedParams &p, const Question &q) {
    Answers a;
    a.side = BEYOND;
    if (q.at_end) a.side = load_told(p.published + q.side);
    a.above = load_told(p.published + q.above);
    a.below = load_told(p.published + q.below);
    return a;
}

// Whether one of them has not done `number` half-steps, of any RV of the warp.
__device__ __forceinline__ bool is_behind(const Answers &a, u32 number) {
    return SPA_WAITS && __any_sync(FULL, min(a.side, min(a.above, a.below)) < number << NUMBER);
}

// Random words of an iteration. Two sites side by side share a block of each colour: each makes one of them.
__device__ __forceinline__ void make_words(const PackedParams &p, const Site &s, u32 now, u32 &black, u32 &white) {
    const u32 second = s.j & 1u;
    const uint2 words = two_words(p, second, now, s.y, s.j - second);
    const u32 theirs = __shfl_xor_sync(FULL, second ? words.x : words.y, 1u);
    black = second ? theirs : words.x;
    white = second ? words.y : theirs;
}

// The label of a RV after a half-step, from what was answered first. Samples are looked at while it waits.
template <bool LINE>
__device__ __forceinline__ u32 updated(const PackedParams &p, const Site &s, const Question &q, Answers a, const Kept &mine, u32 other,
                                       const Tables &tables, const Line &line, u32 colour, u32 number) {
    const bool odd = (s.y + colour) & 1u, free = SPA_STRIPPED != 1 && s.is & FREE << colour;
    u32 side = __shfl_sync(FULL, other, threadIdx.x + (odd ? 1u : 31u));
    Ahead ahead;
    ahead.y = s.y;
    ahead.j = min(s.j, p.half - 1u);
    ahead.word[0] = mine.word;
    look_at_samples(p, line.limit, colour, ahead);
    while (is_behind(a, number)) a = ask(p, q);
    if (q.at_end) side = label_of(a.side);
    const Beside beside = {{odd ? other : side, odd ? side : other}, {label_of(a.above)}, {label_of(a.below)}, {mine.label}};
    Drawn drawn[1];
    draw_dense<LINE>(p, tables, line, ahead, beside, drawn);
    return free ? drawn[0].label : mine.label;
}

// All sites of the thread; how many of its RVs changed.
template <bool LINE>
__device__ __forceinline__ u32 half_step(const PackedParams &p, Kept (&mine)[SPA_EACH], Kept (&other)[SPA_EACH], Shared &shared, const Line &line,
                                         u32 colour, u32 now, u32 number, bool collected) {
    Site sites[SPA_EACH];
    Question questions[SPA_EACH];
    Answers answers[SPA_EACH];
#pragma unroll
    for (u32 e = 0; e < SPA_EACH; ++e) {
        sites[e] = shared.sites[e * SPA_THREADS + threadIdx.x];
        questions[e] = question(p, sites[e], colour);
        answers[e] = ask(p, questions[e]);
        if (colour == 0) make_words(p, sites[e], now, mine[e].word, other[e].word);
    }
    Post post = {p.log, shared.boxes[threadIdx.x / 32u]};
    if (collected) collect_post(p.log, post.outbox, SPA_OUTBOX / 2u);
    u32 many = 0;
#pragma unroll
    for (u32 e = 0; e < SPA_EACH; ++e) {
        const Site &s = sites[e];
        const u32 own = mine[e].label;
        const u32 label = updated<LINE>(p, s, questions[e], answers[e], mine[e], other[e].label, shared.tables, line, colour, number);
        if (s.is & IN << colour) store_told(p.published + record_of(p, s, colour), label | (number + 1u) << NUMBER);
        many += label != own;
        if (collected && label != own) {
            const u32 rv = s.y * p.width + 2u * s.j + ((s.y + colour) & 1u);
            mine[e].entry = entered(p, rv, own, now, mine[e].entry, post);
        }
        const Kept kept = {label, mine[e].word, mine[e].entry};
        mine[e] = other[e];
        other[e] = kept;
    }
    return many;
}

// Site `n` of the picture, and beyond.
__device__ __forceinline__ Site site_at(const PackedParams &p, u32 n) {
    const u32 pitch = record_pitch(p), k = min(n, p.height * pitch - 1u);
    Site s;
    s.record = k + pitch;
    s.y = k / pitch;
    s.j = k - s.y * pitch;
    s.is = 0;
    for (u32 colour = 0; colour < 2; ++colour) {
        const u32 odd = (s.y + colour) & 1u;
        if (n != k || 2u * s.j + odd >= p.width) continue;
        const u32 free = __ldg(p.valid[colour] + (u64)s.y * p.words + s.j / 32u) >> s.j % 32u & 1u;
        s.is |= (IN | free * FREE | (threadIdx.x % 32u == 31u * odd ? END : 0u)) << colour;
    }
    return s;
}

__device__ __forceinline__ Kept open_rv(const PackedParams &p, const Site &s, u32 colour, bool collected) {
    const uint2 nothing = make_uint2(0, 0);
    return Kept{label_of(p.published[record_of(p, s, colour)]), 0, collected && s.is & FREE << colour ? *entry_at(p, colour, s.y, s.j) : nothing};
}

// What a launch leaves of a RV for those who do not read records.
__device__ __forceinline__ void close_rv(const PackedParams &p, const Site &s, u32 colour, const Kept &kept, bool collected) {
    if (!(s.is & FREE << colour)) return;
    *label_at(p, colour, s.y, s.j) = (u8)kept.label;
    if (collected) *entry_at(p, colour, s.y, s.j) = kept.entry;
}

template <bool LINE>
__device__ __forceinline__ void sites(const Batch &batch, u32 iteration, u32 iterations, u32 step, u32 told, u32 slot, u32 few, u32 launch) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    Shared &shared = in_register(shared_memory<Shared>());
    const bool collected = iteration + iterations > p.burn_in;
    Kept black[SPA_EACH], white[SPA_EACH];
#pragma unroll
    for (u32 e = 0; e < SPA_EACH; ++e) {
        const u32 warp = (e * SPA_THREADS + threadIdx.x) / 32u;
        const Site s = site_at(p, (warp * mine.blocks + mine.block) * 32u + threadIdx.x % 32u);
        black[e] = open_rv(p, s, 0, collected);
        white[e] = open_rv(p, s, 1, collected);
        shared.sites[e * SPA_THREADS + threadIdx.x] = s;
    }
    Outbox &outbox = shared.boxes[threadIdx.x / 32u];
    if (threadIdx.x % 32u == 0) outbox.many = 0;
    if (threadIdx.x < 2u) shared.windows[threadIdx.x] = 0;
    const Watch watch = open_watch(p, few, launch, shared.windows);
    load_pairs(p, shared.tables);
    Place place;
    open_step<LINE>(p, step, shared.tables, place);
    __syncthreads();
    const auto step_on = [&](u32 colour, u32 now, u32 number, bool entered) {
        return half_step<LINE>(p, black, white, shared, place.line, colour, now, number, entered);
    };
    const u32 changed = __reduce_add_sync(FULL, run_half_steps<LINE>(p, shared.tables, place, iteration, iterations, told, watch, step_on));
#pragma unroll
    for (u32 e = 0; e < SPA_EACH; ++e) {
        const Site s = shared.sites[e * SPA_THREADS + threadIdx.x];
        close_rv(p, s, 0, black[e], collected);
        close_rv(p, s, 1, white[e], collected);
    }
    collect_post(p.log, outbox, 0);
    if (few == NEVER) count_for_host(p, slot, changed);
}

extern "C" __global__ void __launch_bounds__(SPA_THREADS, SPA_BLOCKS)
packed_sites(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step, u32 told, u32 slot, u32 few, u32 launch) {
    sites<true>(batch, iteration, iterations, step, told, slot, few, launch);
}

// For temperatures whose thresholds lie on no line.
extern "C" __global__ void __launch_bounds__(SPA_THREADS, SPA_BLOCKS)
packed_sites_table(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step, u32 told, u32 slot, u32 few, u32 launch) {
    sites<false>(batch, iteration, iterations, step, told, slot, few, launch);
}

// Records of the labels of the planes; no half-step is done.
extern "C" __global__ void __launch_bounds__(256) packed_sites_open(const __grid_constant__ Batch batch) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    const u32 i = mine.block * 256u + threadIdx.x, pitch = record_pitch(p), rows = p.height + 2u;
    const u32 row = i / pitch, colour = row >= rows, y = row - colour * rows - 1u, j = i - row * pitch;
    if (row >= 2u * rows) return;
    const bool in = y < p.height && 2u * j + ((y + colour) & 1u) < p.width;
    p.published[i] = in ? *label_at(p, colour, y, j) : BEYOND;
}
