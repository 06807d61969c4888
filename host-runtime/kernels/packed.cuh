// The packed kernels' view of a job: 8-bit energies, weights that are powers of two, at most 64 labels.
//
// The field is kept as two planes, one a colour: plane c holds the RVs with (x + y) % 2 == c, RV (x, y) at column
// j = x / 2. Planes of labels have a border of missing neighbours (label SPA_LABELS), so no kernel asks where it is.
//
// Set by the host: SPA_LABELS, SPA_VOLUME (0: |left - right| on the fly, 1: prepared volume), SPA_RIGHTWARD (label 0 points to the right
// of its RV, so that labels may point beyond the right edge, too), SPA_CAPPED (the data cap is below 255), SPA_SUMS (0: no energy can pass
// 255, 1: those of few RVs can, 2: many, 3: those beside few neighbourhoods can), SPA_THREADS (of a block), SPA_BATCH (most jobs of a
// launch), SPA_COPIES (1 or 8: PAIR_ROW).

#define QUADS ((SPA_LABELS + 3) / 4)    // words of four packed labels
#define CHUNKS ((SPA_LABELS + 15) / 16) // 16 labels: one 128-bit load
// Bytes of a row of beta*V in shared memory, and of 16 labels of it. With eight copies of each 16 bytes side by side a lane reads one of its
// own, and lanes never meet in a bank; with one, rows start in different banks.
#define PAIR_CHUNK (16 * SPA_COPIES)
#define PAIR_ROW (CHUNKS * PAIR_CHUNK + (SPA_COPIES == 1 ? 16 : 0))

// One schedule entry.
struct Step {
    u32 limit;      // live labels have Es < limit
    u32 scale;      // least weight is 2^scale
    u32 slope;      // of the line of `half_weights`, half precision twice; 0: there is no such line, use the table
    u32 start;      // where it starts, half precision twice
    u32 bias;       // what it takes above Es
    u32 end;        // first iteration after it
    u8 weight[256]; // w(Es)
};

// What a schedule entry has for the draws: of `Step`, and w(0). As parameters of the kernels, in constant memory: the loops store
// labels, so that the compiler would read a Step again each time.
struct Line {
    u32 limit, scale, slope, start, bias, most;
};

struct PackedParams {
    u8 *labels[2];          // planes with border: (H + 2) x pitch, RV (x, y) at (y + 1) * pitch + 32 + j
    const u32 *valid[2];    // bit j % 32 of word (y, j / 32): in the field and not fixed
    const u32 *wide[2];     // likewise: some alpha*S inside the picture is above `narrow`
    const u8 *least[2];     // least alpha*S, H x half
    const u8 *first;        // stereo: left picture, H x W
    const u8 *second;       // stereo: right picture, H x second_pitch, (x, y) at y * second_pitch + second_origin + x
    const uint4 *volume[2]; // otherwise (prepare.cu)
    const u8 *pair;         // beta*V, (L + 1) x 16 CHUNKS; the last row is a missing neighbour's: 0 (SPA_SUMS 3: behind a row its most)
    const Step *steps;
    uint2 *entries[2];      // H x half
    Log log;
    uint2 *tiles;           // tile.cuh
    u32 *published;         // two sets of two planes, H x published_pitch groups (tile.cuh; dealt.cu)
    u32 *flags;             // of the bands, FLAG words apart: half-steps done
    u64 *counters;          // labels touched and RVs updated by the kernels that skip; RVs that are open or change by launches in turn
    u64 *windows, *mailbox; // of all jobs (place.cuh)
    u32 width, height, half, pitch, words;
    u32 second_pitch, second_origin;
    int first_offset;       // dx of label 0: sample x of label l is x + first_offset - l
    u32 data_cap, s_outside;
    u32 narrow;             // 255 - 4 beta * max V; SPA_SUMS 3: 255 - the largest alpha*S
    u32 key0, key1, u_mask, count_max, chain, burn_in;
    u32 unit;               // 1024 (half_weights)
    u32 published_pitch;    // tile.cuh
};

#define FLAG 8

// Jobs of one launch, alike in everything but their data, seeds and chains. Their blocks meet at barriers of their own.
struct Batch {
    PackedParams of[SPA_BATCH];
    u32 jobs;
};

// The job of this block, its place among the job's blocks, and their number.
struct Share {
    u32 job, block, blocks;
};

__device__ __forceinline__ Share share(const Batch &batch) {
#if SPA_BATCH == 1
    return Share{0, blockIdx.x, gridDim.x};
#else
    return Share{blockIdx.x % batch.jobs, blockIdx.x / batch.jobs, gridDim.x / batch.jobs};
#endif
}

#ifndef SPA_EMULATED
__device__ __forceinline__ u32 prmt(u32 a, u32 b, u32 selector) {
    u32 r;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(selector));
    return r;
}

__device__ __forceinline__ u32 add_halves(u32 a, u32 b) {
    u32 r;
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

// a * b + c, rounded once, or 0 where that is negative; subnormal numbers count.
__device__ __forceinline__ u32 fma_halves_from_zero(u32 a, u32 b, u32 c) {
    u32 r;
    asm("fma.rn.relu.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

// Lanes of the warp whose `v` has a bit of MASK. One instruction and a vote: the compiler would shift the bit to the right first.
template <u32 MASK> __device__ __forceinline__ u32 ballot(u32 v) {
    u32 r;
    asm volatile("{.reg .pred p; .reg .b32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0; vote.sync.ballot.b32 %0, p, 0xffffffff;}"
                 : "=r"(r) : "r"(v), "n"(MASK));
    return r;
}

// The two lanes' sum, exact up to 2048 units.
__device__ __forceinline__ float both(u32 v) {
    float r;
    asm("{.reg .b16 lo, hi; mov.b32 {lo, hi}, %1; add.rn.f16 lo, lo, hi; cvt.f32.f16 %0, lo;}" : "=f"(r) : "r"(v));
    return r;
}

__device__ __forceinline__ float low_half(u32 v) {
    float r;
    asm("{.reg .b16 lo, hi; mov.b32 {lo, hi}, %1; cvt.f32.f16 %0, lo;}" : "=f"(r) : "r"(v));
    return r;
}
#endif

// Tables of one schedule entry in shared memory.
struct Tables {
    u8 pair[(SPA_LABELS + 1) * PAIR_ROW];
    u16 half_weight[264];
};

// Two weights in units of 2^-14 as half precision, of two energies as 16-bit numbers. The bits of a small whole number are a
// subnormal half, so one multiply-add rounds log2(w) - scale + 1, or 0 where that is less, into the last bits of a half; a
// multiplication puts them where half precision has its exponent, which leaves w itself. Sum and shift are multiplications by what
// the compiler does not know: the pipe of all other integers has more to do.
__device__ __forceinline__ u32 half_weights(const PackedParams &p, const Line &line, u32 least, u32 energies) {
    return fma_halves_from_zero(energies * (p.unit >> 10) + (line.bias - least) * 0x10001u, line.slope, line.start) * p.unit;
}

// The same from the table.
__device__ __forceinline__ u32 looked_up_weights(const Tables &t, const Line &line, u32 least, u32 energies) {
    const u32 es = __viaddmin_u16x2(energies, (0u - least & 0xffffu) * 0x10001u, line.limit * 0x10001u);
    return t.half_weight[es & 0xffffu] | (u32)t.half_weight[es >> 16] << 16;
}

// The half-step before `half` is done, by all threads of the block with flag `index`.
__device__ __forceinline__ void tell(const PackedParams &p, u32 index, u32 half) {
    __syncthreads();
    if (SPA_WAITS && threadIdx.x == 0) tell_store(p.flags + FLAG * index, half);
}

// 0xff in every byte whose top bit is set.
__device__ __forceinline__ u32 spread_signs(u32 v) { return prmt(v, 0, 0xba98); }

__device__ __forceinline__ u32 four(u32 byte) { return byte * 0x01010101u; }

// A byte each of four bits, and back.
__device__ __forceinline__ u32 four_bytes(u32 bits) { return bits * 0x00204081u & 0x01010101u; }

__device__ __forceinline__ u32 four_bits(u32 bytes) { return bytes * 0x01020408u >> 24 & 15u; }

// The label of a RV of a plane.
__device__ __forceinline__ u8 *label_at(const PackedParams &p, u32 colour, u32 y, u32 j) {
    return p.labels[colour] + (u64)(y + 1u) * p.pitch + 32u + j;
}

// The labels of four RVs side by side, the first at column j, a multiple of four.
__device__ __forceinline__ u32 *four_labels_at(const PackedParams &p, u32 colour, u32 y, u32 j) { return (u32 *)label_at(p, colour, y, j); }

// Labels of such four with those beyond the picture as missing neighbours.
__device__ __forceinline__ u32 with_missing(const PackedParams &p, u32 colour, u32 y, u32 j, u32 labels) {
    const u32 x = 2u * j + (y + colour & 1u);
    if (x + 6u < p.width) return labels;
    const u32 beyond = FULL << 8u * ((p.width - x + 1u) / 2u);
    return labels & ~beyond | four(SPA_LABELS) & beyond;
}

__device__ __forceinline__ bool field_position(const PackedParams &p, u32 colour, u32 y, u32 j, u32 *x) {
    *x = 2u * j + ((y + colour) & 1u);
    return *x < p.width;
}

// The four neighbours' labels, and the RV's own.
struct Around {
    u32 left, right, up, down, own;
};

// Made-up labels for the arithmetic alone.
__device__ __forceinline__ Around made_up(u32 y, u32 j) {
    const u32 one = (y + j) % SPA_LABELS;
    return Around{one, one, one, (one + (y & 1u)) % SPA_LABELS, one};
}

__device__ __forceinline__ Around look_around(const PackedParams &p, u32 colour, u32 y, u32 j) {
    if (SPA_STRIPPED == 3) return made_up(y, j);
    const u64 at = (u64)(y + 1u) * p.pitch + 32u + j;
    const u8 *other = p.labels[colour ^ 1u] + at;
    const u32 odd = (y + colour) & 1u;
    // Other blocks write these: read them where their writes arrive, in the second-level cache.
    return Around{__ldcg(other + odd - 1), __ldcg(other + odd), __ldcg(other - p.pitch), __ldcg(other + p.pitch),
                  __ldcg(p.labels[colour] + at)};
}

__device__ __forceinline__ uint2 *entry_at(const PackedParams &p, u32 colour, u32 y, u32 j) {
    return p.entries[colour] + (u64)y * p.half + j;
}

// The label of `rv` is no longer `own`: its entry with the picks of that, which was `packed` so far (Algorithm 1, run-length).
template <class L> __device__ __forceinline__ uint2 entered(const PackedParams &p, u32 rv, u32 own, u32 iteration, uint2 packed, L &log) {
    Entry e = unpack(packed);
    const u32 now = iteration - p.burn_in;
    pick(e, own, now - e.accounted, p.count_max, log, rv);
    e.accounted = now;
    return pack(e);
}

// The same, in the card's memory.
template <class L>
__device__ __forceinline__ void enter(const PackedParams &p, u32 colour, u32 y, u32 j, u32 x, u32 own, u32 iteration, uint2 packed, L &log) {
    __stcg(entry_at(p, colour, y, j), entered(p, y * p.width + x, own, iteration, packed, log));
}

// The label is known: store it, and enter it if it changed.
__device__ __forceinline__ void commit(const PackedParams &p, u32 colour, u32 y, u32 j, u32 x, u32 own, u32 label,
                                       u32 iteration) {
    if (label == own || (SPA_STRIPPED == 3 && label < p.pitch)) return;
    __stcg(label_at(p, colour, y, j), (u8)label);
    if (iteration >= p.burn_in) enter(p, colour, y, j, x, own, iteration, __ldcg(entry_at(p, colour, y, j)), p.log);
}

// Copies what all schedule entries have in common into shared memory.
__device__ __forceinline__ void load_pairs(const PackedParams &p, Tables &t) {
    for (u32 k = threadIdx.x; k < (SPA_LABELS + 1) * CHUNKS * SPA_COPIES; k += SPA_THREADS) {
        const u32 chunk = k / SPA_COPIES, at = chunk / CHUNKS * PAIR_ROW + chunk % CHUNKS * PAIR_CHUNK + k % SPA_COPIES * 16u;
        *(uint4 *)(t.pair + at) = ((const uint4 *)p.pair)[chunk];
    }
}

// Copies the weights of one.
__device__ __forceinline__ void load_weights(const Step &step, Tables &t) {
    for (u32 k = threadIdx.x; k < 264; k += SPA_THREADS) {
        const u32 w = k < min(step.limit, 256u) ? step.weight[k] >> step.scale : 0u;
        // w as half precision in units of 2^-14, as `half_weights` makes it.
        t.half_weight[k] = w ? (u16)((32u - __clz(w)) << 10) : 0;
    }
}

// What the threads of this warp counted, for the host, in a slot of launches in turn.
__device__ __forceinline__ void count_for_host(const PackedParams &p, u32 slot, u32 all) {
    if (threadIdx.x % 32u == 0 && all) atomicAdd(p.counters + 2u + slot, (u64)all);
}

// Threads of a block that settles.
#define SETTLERS 256u

// Where `many` messages of this thread go, if all threads of such a block send some: one atomic a block.
__device__ __forceinline__ u64 *room_for(const Log &log, u32 many) {
    __shared__ u32 warps[SETTLERS / 32u];
    __shared__ u64 base;
    const u32 warp = threadIdx.x / 32u, up_to = sum_up_to_lane<32>(many);
    if (threadIdx.x % 32u == 31u) warps[warp] = up_to;
    __syncthreads();
    u32 before = 0, all = 0;
#pragma unroll
    for (u32 k = 0; k < SETTLERS / 32u; ++k) {
        before += k < warp ? warps[k] : 0u;
        all += warps[k];
    }
    if (threadIdx.x == 0) base = atomicAdd(log.cursor, (u64)all);
    __syncthreads();
    return log.messages + base + before + up_to - many;
}

// Brings every entry up to `done` collected iterations; at the end also sends what is left.
extern "C" __global__ void __launch_bounds__(SETTLERS) packed_settle(const __grid_constant__ Batch batch, u32 done, u32 last) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    const u32 i = mine.block * SETTLERS + threadIdx.x, plane = p.half * p.height;
    const u32 colour = i >= plane, k = i - colour * plane, y = k / p.half, j = k % p.half;
    u32 x = 0;
    const bool on = i < 2u * plane && field_position(p, colour, y, j, &x) && (p.valid[colour][(u64)y * p.words + j / 32u] >> j % 32u & 1u);
    const u32 rv = y * p.width + x;
    Entry e = {0, 0, 0, 0, 0};
    if (on) {
        e = unpack(p.entries[colour][k]);
        pick(e, *label_at(p, colour, y, j), done - e.accounted, p.count_max, p.log, rv);
        e.accounted = done;
        p.entries[colour][k] = pack(e);
    }
    if (!last) return;
    u64 *to = room_for(p.log, (e.mrp_count > 0) + (e.lrp_count > 0));
    if (e.mrp_count > 0) *to++ = message(p.log, rv, e.mrp, e.mrp_count);
    if (e.lrp_count > 0) *to = message(p.log, rv, e.lrp, e.lrp_count);
}
