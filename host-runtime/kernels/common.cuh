// Shared by all kernels: random numbers, label entries, messages, the grid barrier (docs/contract.md sections 5 and 7).
// Compiled by NVRTC in front of every kernel file; no header is included. With SPA_EMULATED a C++ compiler takes the
// same text after tests/emulator/device.hpp, which brings what is not C++.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define FULL 0xffffffffu

// What a measurement leaves out; all labels are wrong then, but with 4. 0: nothing. 1: updates. 2: waiting for other blocks. 3: that and
// memory: the arithmetic alone, on made-up labels and pixels. 4: skipping: every RV is updated.
#ifndef SPA_STRIPPED
#define SPA_STRIPPED 0
#endif
#define SPA_WAITS (SPA_STRIPPED != 2 && SPA_STRIPPED != 3)

// Threefry-2x32 with 13 rounds.
__device__ __forceinline__ uint2 threefry(u32 key0, u32 key1, u32 c0, u32 c1) {
    const u32 key2 = 0x1BD11BDAu ^ key0 ^ key1;
    u32 x0 = c0 + key0, x1 = c1 + key1;
#define ROUND(r) x0 += x1; x1 = __funnelshift_l(x1, x1, r) ^ x0;
    ROUND(13) ROUND(15) ROUND(26) ROUND(6)
    x0 += key1; x1 += key2 + 1u;
    ROUND(17) ROUND(29) ROUND(16) ROUND(24)
    x0 += key2; x1 += key0 + 2u;
    ROUND(13) ROUND(15) ROUND(26) ROUND(6)
    x0 += key0; x1 += key1 + 3u;
    ROUND(17)
#undef ROUND
    return make_uint2(x0, x1);
}

// The random word of RV (x, y); chain_iteration = chain << 24 | iteration.
__device__ __forceinline__ u32 draw_word(u32 key0, u32 key1, u32 x, u32 y, u32 chain_iteration) {
    const uint2 words = threefry(key0, key1, y << 15 | (x >> 2) << 1 | ((x + y) & 1u), chain_iteration);
    return x >> 1 & 1u ? words.y : words.x;
}

// The sum of `value` over the lanes of a group of WIDTH, up to this one.
template <u32 WIDTH> __device__ __forceinline__ u32 sum_up_to_lane(u32 value) {
#pragma unroll
    for (u32 d = 1; d < WIDTH; d *= 2) {
        const u32 below = __shfl_up_sync(FULL, value, d, WIDTH);
        if (threadIdx.x % WIDTH >= d) value += below;
    }
    return value;
}

// Where messages go: a buffer that the host has made large enough for the launch, and its fill.
struct Log {
    u64 *messages;
    u64 *cursor;
    u64 job; // of a batch, in bits 56..63
};

// {RV, label, count, job} in one word: RV in bits 0..31, label 32..39, count 40..55, job 56..63.
__device__ __forceinline__ u64 message(const Log &log, u32 rv, u32 label, u32 count) {
    return (u64)rv | (u64)label << 32 | (u64)count << 40 | log.job;
}

// One atomic for the lanes that send together.
__device__ __forceinline__ void send(const Log &log, u32 rv, u32 label, u32 count) {
    const u32 mask = __activemask();
    const u32 lane = threadIdx.x & 31u;
    const u32 leader = __ffs(mask) - 1;
    u64 base = 0;
    if (lane == leader) base = atomicAdd(log.cursor, (u64)__popc(mask));
    base = __shfl_sync(mask, base, leader);
    log.messages[base + __popc(mask & ((1u << lane) - 1u))] = message(log, rv, label, count);
}

// Two label+count pairs (Fig. 3.9a) and how many collected iterations they account for.
struct Entry {
    u32 mrp, lrp, mrp_count, lrp_count, accounted;
};

__device__ __forceinline__ Entry unpack(uint2 v) {
    return Entry{v.x & 0xffu, v.x >> 8 & 0xffu, v.x >> 16, v.y & 0xffffu, v.y >> 16};
}

__device__ __forceinline__ uint2 pack(const Entry &e) {
    return make_uint2(e.mrp | e.lrp << 8 | e.mrp_count << 16, e.lrp_count | e.accounted << 16);
}

// Algorithm 1 for `times` picks of `label` in a row. Messages go where `send` brings those of such a log.
template <class L> __device__ __forceinline__ void pick(Entry &e, u32 label, u32 times, u32 max, L &log, u32 rv) {
    if (times == 0) return;
    if (label != e.mrp) {
        const u32 old = e.mrp, old_count = e.mrp_count;
        if (label == e.lrp) {
            e.mrp_count = e.lrp_count;
        } else {
            if (e.lrp_count > 0) send(log, rv, e.lrp, e.lrp_count);
            e.mrp_count = 0;
        }
        e.mrp = label;
        e.lrp = old;
        e.lrp_count = old_count;
    }
    // A hit on a full counter sends it and restarts at 1.
    while (e.mrp_count + times > max) {
        times -= max - e.mrp_count + 1;
        send(log, rv, label, max);
        e.mrp_count = 1;
    }
    e.mrp_count += times;
}

#ifndef SPA_EMULATED
// Blocks tell each other by these. Writing waits until what the block wrote before has arrived in the second-level cache.
// Reading need not wait for anything: what other blocks write is only ever read from there (__ldcg), after a branch that
// depends on what was read here. An acquiring load would empty the first-level cache of pictures and tables each time.
__device__ __forceinline__ u32 load_told(const u32 *at) {
    u32 told;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(told) : "l"(at) : "memory");
    return told;
}

__device__ __forceinline__ u64 load_told(const u64 *at) {
    u64 told;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(told) : "l"(at) : "memory");
    return told;
}

__device__ __forceinline__ void tell_add(u32 *at, u32 more) {
    asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(at), "r"(more) : "memory");
}

__device__ __forceinline__ void store_told(u32 *at, u32 value) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

__device__ __forceinline__ void store_told(u64 *at, u64 value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}

// The same where the host reads it.
__device__ __forceinline__ void store_told_host(u64 *at, u64 value) {
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}

__device__ __forceinline__ void tell_store(u32 *at, u32 value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

// Takes `many` places of a counter in shared memory; the first of them. The compiler would count the lanes that do so together.
__device__ __forceinline__ u32 claim(u32 &counter, u32 many) {
    u32 first;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(first) : "r"((u32)__cvta_generic_to_shared(&counter)), "r"(many) : "memory");
    return first;
}

// All of the shared memory that the host gives a block.
extern __shared__ uint4 spa_shared[];

template <class T> __device__ __forceinline__ T &shared_memory() { return *(T *)spa_shared; }

// The same number, in a register: the compiler would read a parameter anew wherever it is needed, and wait for it. It does not know that
// lanes are below 32.
template <class T> __device__ __forceinline__ T kept(T v) {
    u32 lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return v + (lane >> 5);
}

// The same object in shared memory by an address that stays in a register: the compiler would work it out before every access.
template <class T> __device__ __forceinline__ T &in_register(T &shared) {
    u32 at = (u32)__cvta_generic_to_shared(&shared);
    asm volatile("" : "+r"(at));
    return *(T *)__cvta_shared_to_generic(at);
}
#endif

// All blocks of a cooperative launch wait for each other; *at is 0 before the launch. What needs nothing of other blocks
// may stand between arriving and waiting. The target is known beforehand, so arriving waits for no answer.
struct Barrier {
    u32 *at;
    u32 blocks, target;
};

__device__ __forceinline__ void arrive(Barrier &barrier) {
    if (!SPA_WAITS) return;
    barrier.target += barrier.blocks;
    __syncthreads();
    if (threadIdx.x == 0) tell_add(barrier.at, 1u);
}

__device__ __forceinline__ void wait(const Barrier &barrier) {
    if (!SPA_WAITS) return;
    if (threadIdx.x == 0) {
        while (load_told(barrier.at) < barrier.target) {
        }
    }
    __syncthreads();
}
