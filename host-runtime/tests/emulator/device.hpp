// What CUDA C++ has and C++ has not, for kernels that run on the CPU in tests: every thread of a block is a fiber, every
// block of a cooperative launch a thread of the system; lanes meet at warp functions, and __activemask names one lane.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <thread>
#include <type_traits>
#include <ucontext.h>
#include <vector>

#define SPA_EMULATED 1
#define __device__
#define __global__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static thread_local
#define __align__(n) __attribute__((aligned(n)))

struct uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct short2 { short x, y; };
struct Index { unsigned x; };
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

static thread_local Index threadIdx, blockIdx, gridDim, blockDim;

namespace emulator {

struct Meeting { unsigned arrived = 0, generation = 0; };
struct Warp : Meeting { uint64_t values[2][32]; };
struct Fiber { ucontext_t context; bool done = false; };

// Stacks outlive the blocks of one thread of the system.
struct Stacks {
    std::vector<char *> all;
    char *at(size_t i) {
        while (all.size() <= i) all.push_back((char *)malloc(BYTES));
        return all[i];
    }
    ~Stacks() {
        for (char *stack : all) free(stack);
    }
    static constexpr size_t BYTES = 96 << 10;
};
static thread_local Stacks stacks;

struct Block {
    std::vector<Fiber> fibers;
    std::vector<Warp> warps;
    Meeting all;
    ucontext_t scheduler;
    unsigned current = 0;
    void (*kernel)(void **);
    void **arguments;
};
static thread_local Block *block;

inline void yield() {
    Block *b = block;
    const unsigned me = b->current;
    swapcontext(&b->fibers[me].context, &b->scheduler);
    threadIdx.x = me;
}

inline void start() {
    Block *b = block;
    b->kernel(b->arguments);
    b->fibers[b->current].done = true;
    swapcontext(&b->fibers[b->current].context, &b->scheduler);
}

// Waits until `count` fibers have come.
inline void meet(Meeting &m, unsigned count) {
    const unsigned generation = m.generation;
    if (++m.arrived == count) {
        m.arrived = 0;
        ++m.generation;
        return;
    }
    while (m.generation == generation) yield();
}

// Every lane gives a value and gets all; whole warps only (a lane alone needs nobody).
inline const uint64_t *exchange(unsigned mask, uint64_t value) {
    const unsigned lane = threadIdx.x & 31u;
    static thread_local uint64_t alone[32];
    if (mask == 1u << lane) {
        alone[lane] = value;
        return alone;
    }
    Warp &w = block->warps[threadIdx.x / 32];
    uint64_t *values = w.values[w.generation & 1u];
    values[lane] = value;
    meet(w, 32);
    return values;
}

inline void run_block(void (*kernel)(void **), void **arguments, unsigned index, unsigned blocks, unsigned threads) {
    Block b;
    b.fibers.resize(threads);
    b.warps.resize((threads + 31) / 32);
    b.kernel = kernel;
    b.arguments = arguments;
    block = &b;
    blockIdx.x = index;
    gridDim.x = blocks;
    blockDim.x = threads;
    for (unsigned i = 0; i < threads; ++i) {
        Fiber &f = b.fibers[i];
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = stacks.at(i);
        f.context.uc_stack.ss_size = Stacks::BYTES;
        f.context.uc_link = nullptr;
        makecontext(&f.context, start, 0);
    }
    for (unsigned left = threads; left > 0;) {
        for (unsigned i = 0; i < threads; ++i) {
            if (b.fibers[i].done) continue;
            b.current = i;
            threadIdx.x = i;
            swapcontext(&b.scheduler, &b.fibers[i].context);
            left -= b.fibers[i].done;
        }
    }
}

} // namespace emulator

extern "C" inline void emulator_launch(void (*kernel)(void **), void **arguments, unsigned blocks, unsigned threads,
                                       int cooperative) {
    if (!cooperative) {
        for (unsigned i = 0; i < blocks; ++i) emulator::run_block(kernel, arguments, i, blocks, threads);
        return;
    }
    std::vector<std::thread> all;
    for (unsigned i = 0; i < blocks; ++i)
        all.emplace_back(emulator::run_block, kernel, arguments, i, blocks, threads);
    for (std::thread &t : all) t.join();
}

inline void __syncthreads() { emulator::meet(emulator::block->all, emulator::block->fibers.size()); }
inline void __syncwarp() { emulator::exchange(0xffffffffu, 0); }
inline unsigned __activemask() { return 1u << (threadIdx.x & 31u); }
inline void tell_store(unsigned *at, unsigned value) { __atomic_store_n(at, value, __ATOMIC_RELEASE); }
inline void store_told_host(unsigned long long *at, unsigned long long value) { __atomic_store_n(at, value, __ATOMIC_RELEASE); }
template <class T> void store_told(T *at, T value) { __atomic_store_n(at, value, __ATOMIC_RELEASE); }
inline void tell_add(unsigned *at, unsigned more) { __atomic_fetch_add(at, more, __ATOMIC_RELEASE); }
template <class T> T load_told(const T *at) {
    // Who waits here must stop neither other blocks nor the other threads of its block.
    sched_yield();
    emulator::yield();
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

inline unsigned claim(unsigned &counter, unsigned many) { return (counter += many) - many; }
template <class T> T &in_register(T &shared) { return shared; }
template <class T> T kept(T value) { return value; }
template <class T> T &shared_memory() {
    alignas(16) static thread_local char memory[227 << 10];
    return *(T *)memory;
}
template <class T> T __ldg(const T *at) { return *at; }
template <class T> T __ldcg(const T *at) { return *(const volatile T *)at; }
inline uint2 __ldcg(const uint2 *at) { return *at; }
inline uint2 __ldcg(uint2 *at) { return *at; }
template <class T> T __ldcg(T *at) { return *(volatile T *)at; }
template <class T, class V> void __stcg(T *at, V value) { *at = (T)value; }
template <class T> T atomicAdd(T *at, T value) { return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST); }
inline unsigned atomicMin(unsigned *at, unsigned value) {
    unsigned old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    while (value < old && !__atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
    return old;
}
inline unsigned atomicExch(unsigned *at, unsigned value) { return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST); }
inline unsigned atomicOr(unsigned *at, unsigned value) { return __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST); }

template <class T> T spa_lane(unsigned mask, T value, unsigned source) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = emulator::exchange(mask, bits)[source & 31u];
    memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T> T __shfl_sync(unsigned mask, T value, unsigned source, unsigned width = 32) {
    const unsigned lane = threadIdx.x & 31u;
    return spa_lane(mask, value, (lane & ~(width - 1)) | (source & (width - 1)));
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, unsigned bits) {
    return spa_lane(mask, value, (threadIdx.x & 31u) ^ bits);
}
template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned by, unsigned width = 32) {
    const unsigned lane = threadIdx.x & 31u;
    return spa_lane(mask, value, (lane & (width - 1)) >= by ? lane - by : lane);
}
inline unsigned __ballot_sync(unsigned mask, bool value) {
    const uint64_t *all = emulator::exchange(mask, value);
    unsigned bits = 0;
    for (unsigned i = 0; i < 32; ++i) bits |= (mask >> i & 1u) && all[i] ? 1u << i : 0u;
    return bits;
}
template <unsigned MASK> unsigned ballot(unsigned value) { return __ballot_sync(0xffffffffu, (value & MASK) != 0); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline bool __any_sync(unsigned mask, bool value) { return __ballot_sync(mask, value) != 0; }
inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
    const uint64_t *all = emulator::exchange(mask, value);
    unsigned sum = 0;
    for (unsigned i = 0; i < 32; ++i) sum += mask >> i & 1u ? (unsigned)all[i] : 0u;
    return sum;
}

inline unsigned __reduce_min_sync(unsigned mask, unsigned value) {
    const uint64_t *all = emulator::exchange(mask, value);
    unsigned least = ~0u;
    for (unsigned i = 0; i < 32; ++i)
        if (mask >> i & 1u && (unsigned)all[i] < least) least = (unsigned)all[i];
    return least;
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
    const uint64_t *all = emulator::exchange(mask, value);
    unsigned bits = 0;
    for (unsigned i = 0; i < 32; ++i) bits |= mask >> i & 1u ? (unsigned)all[i] : 0u;
    return bits;
}

template <class A, class B> std::common_type_t<A, B> min(A a, B b) {
    using T = std::common_type_t<A, B>;
    return (T)a < (T)b ? (T)a : (T)b;
}
template <class A, class B> std::common_type_t<A, B> max(A a, B b) {
    using T = std::common_type_t<A, B>;
    return (T)a < (T)b ? (T)b : (T)a;
}
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
// Exact where the card is off by two units in the last place at most.
inline float __fdividef(float a, float b) { return a / b; }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
    return (unsigned)(((uint64_t)high << 32 | low) << (by & 31u) >> 32);
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
inline unsigned __float_as_uint(float v) {
    unsigned bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
inline float __uint_as_float(unsigned bits) {
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
inline float __expf(float v) { return std::exp(v); }

template <unsigned BITS, class F> unsigned spa_lanes(F f) {
    unsigned r = 0;
    for (unsigned at = 0; at < 32; at += BITS) r |= (f(at) & ((1u << BITS) - 1)) << at;
    return r;
}
inline unsigned spa_part(unsigned v, unsigned at, unsigned bits) { return v >> at & ((1u << bits) - 1); }
inline unsigned __vabsdiffu4(unsigned a, unsigned b) {
    return spa_lanes<8>([=](unsigned at) { return __usad(spa_part(a, at, 8), spa_part(b, at, 8), 0); });
}
inline unsigned __vminu4(unsigned a, unsigned b) {
    return spa_lanes<8>([=](unsigned at) { return min(spa_part(a, at, 8), spa_part(b, at, 8)); });
}
inline unsigned __vminu2(unsigned a, unsigned b) {
    return spa_lanes<16>([=](unsigned at) { return min(spa_part(a, at, 16), spa_part(b, at, 16)); });
}
inline unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c) { return __vminu2(__vminu2(a, b), c); }
inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
    return spa_lanes<16>([=](unsigned at) {
        return min(spa_part(spa_part(a, at, 16) + spa_part(b, at, 16), 0, 16), spa_part(c, at, 16));
    });
}

// The instructions that kernels write as PTX.
inline unsigned prmt(unsigned a, unsigned b, unsigned selector) {
    const uint64_t both = (uint64_t)b << 32 | a;
    unsigned r = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned s = selector >> 4 * i & 15u, byte = both >> 8 * (s & 7u) & 0xffu;
        r |= (s & 8u ? (byte & 0x80u ? 0xffu : 0u) : byte) << 8 * i;
    }
    return r;
}
inline float spa_half(unsigned bits) {
    const unsigned exponent = bits >> 10 & 31u, fraction = bits & 0x3ffu;
    return exponent ? std::ldexp(1024.0f + fraction, (int)exponent - 25) : std::ldexp((float)fraction, -24);
}
// Half precision of a value ≥ 0 that it holds exactly; anything else stops the test.
inline unsigned spa_to_half(float v) {
    if (v == 0) return 0;
    int e;
    const float m = std::frexp(v, &e) * 2048.0f;
    if (m != std::floor(m) || e < -13 || e > 16) __builtin_trap();
    return (unsigned)(e + 14) << 10 | ((unsigned)m & 0x3ffu);
}
inline unsigned add_halves(unsigned a, unsigned b) {
    return spa_lanes<16>(
        [=](unsigned at) { return spa_to_half(spa_half(spa_part(a, at, 16)) + spa_half(spa_part(b, at, 16))); });
}
// Rounds to a whole number of 2^-24, ties to even, below 2^-13, where those are halves; 0 where it is negative. More stops the test.
inline unsigned spa_round_from_zero(double v) {
    const double m = std::nearbyint(std::ldexp(v, 24));
    if (!(m < 2048.0)) __builtin_trap();
    return m > 0.0 ? (unsigned)m : 0u;
}
inline unsigned fma_halves_from_zero(unsigned a, unsigned b, unsigned c) {
    // Products and sums of halves are exact in double precision here.
    const auto value = [](unsigned bits) { return (bits & 0x8000u ? -1.0 : 1.0) * spa_half(bits & 0x7fffu); };
    return spa_lanes<16>([=](unsigned at) {
        return spa_round_from_zero(value(spa_part(a, at, 16)) * value(spa_part(b, at, 16)) + value(spa_part(c, at, 16)));
    });
}
inline float both(unsigned v) { return spa_half(spa_to_half(spa_half(v & 0xffffu) + spa_half(v >> 16))); }
inline float low_half(unsigned v) { return spa_half(v & 0xffffu); }
