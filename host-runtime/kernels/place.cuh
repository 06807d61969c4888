// What kernels share of which one launch runs through several schedule entries: where they are, when they end, and parameters in registers.

// The schedule entry that a block is at.
struct Place {
    u32 step, begin, end; // its first iteration, and the first one after it
    Line line;
};

// What draws need of schedule entry `step`. Nobody may be drawing.
template <bool LINE> __device__ __forceinline__ void open_step(const PackedParams &p, u32 step, Tables &t, Place &place) {
    const Step *at = p.steps + step;
    place.step = step;
    place.begin = step ? __ldg(&at[-1].end) : 0u;
    place.end = __ldg(&at->end);
    place.line = Line{__ldg(&at->limit), __ldg(&at->scale), __ldg(&at->slope), __ldg(&at->start), __ldg(&at->bias), __ldg(at->weight)};
    if (LINE) return;
    load_weights(*at, t);
    __syncthreads();
}

// A number or an address in a register, if a block is alone on its multiprocessor: it has enough of them, and nothing else to do while it
// waits for a parameter.
template <class T> __device__ __forceinline__ T at_hand(T v) { return SPA_BLOCKS == 1 ? kept(v) : v; }

// A launch that may end by itself, so that another kernel goes on. Of every window of iterations all blocks add up what they counted; whoever is
// at the end of the next window waits until all have, and knows whether the window after that is the last. So all of them end after
// the same iteration, nobody waits for those who are less than a window behind, and the host is told early enough to have the next launch ready.
//
// Set by the host: SPA_WINDOW (iterations of a window), SPA_WINDOWS (of a launch, at most).
struct Watch {
    u64 *windows, *next; // blocks that have counted (from bit 40), and what; the same of the next launch
    u64 *mailbox;        // for the host: the iterations that it will have done, and FEW if that is why it ends
    u32 *own;            // of this block, in shared memory, of windows in turn: warps that have counted (from bit 24), and what
    u32 few;             // ends if no more than that were counted, or NEVER
};

#define NEVER FULL
#define FEW (1ull << 32)

// `launch`: its number. `own`: two zeros in shared memory.
__device__ __forceinline__ Watch open_watch(const PackedParams &p, u32 few, u32 launch, u32 *own) {
    const u32 set = launch % 2u * SPA_WINDOWS;
    const Watch watch = {p.windows + set, p.windows + (SPA_WINDOWS - set), p.mailbox, own, few};
    if (few != NEVER && blockIdx.x == 0)
        for (u32 k = threadIdx.x; k < SPA_WINDOWS; k += SPA_THREADS) watch.next[k] = 0;
    return watch;
}

// Whether no more than `few` were counted in the window before `index`, in which this thread counted `many`; by whole warps.
__device__ __forceinline__ bool are_few(const Watch &watch, u32 index, u32 many) {
    const u32 all = __reduce_add_sync(FULL, many);
    if (threadIdx.x % 32u == 0) {
        u32 &own = watch.own[index % 2u];
        const u32 before = claim(own, 1u << 24 | all);
        if (before >> 24 == SPA_THREADS / 32u - 1u) {
            // Nobody counts there again before all blocks have done this window.
            own = 0;
            __threadfence_block();
            atomicAdd(watch.windows + index, 1ull << 40 | ((before & 0xffffffu) + all));
        }
    }
    if (index == 0) return false;
    u64 before = load_told(watch.windows + index - 1u);
    while ((u32)(before >> 40) != gridDim.x) before = load_told(watch.windows + index - 1u);
    __threadfence_block();
    return __any_sync(FULL, (u32)before <= watch.few);
}

__device__ __forceinline__ void tell_host(const Watch &watch, u64 how_far) {
    if (blockIdx.x == 0 && threadIdx.x == 0) store_told_host(watch.mailbox, how_far);
}

// Where a launch stops next: at the end of a window, or at its end. All have come to know that a window before, if a launch has as many.
struct Stop {
    u32 half;
    bool last;
};

__device__ __forceinline__ Stop next_stop(const Watch &watch, u32 begin, u32 half, u32 end, bool few) {
    Stop stop = {half + 2u * SPA_WINDOW, few};
    if (!few && end - half < 4u * SPA_WINDOW) stop = Stop{end, true};
    if (stop.last) tell_host(watch, (stop.half - begin) / 2u | (few ? FEW : 0u));
    return stop;
}

// All half-steps of a launch, by schedule entries. `half_step` takes colour, iteration, number, and whether it is collected, and returns what is
// counted; the sum of that, since the last window if launches are watched.
template <bool LINE, class F>
__device__ __forceinline__ u32 run_half_steps(const PackedParams &p, Tables &tables, Place &place, u32 iteration, u32 iterations, u32 told,
                                               const Watch &watch, const F &half_step) {
    const u32 begin = 2u * iteration, end = begin + 2u * iterations, collected = at_hand(2u * p.burn_in), ahead = at_hand(told - begin);
    u32 half = at_hand(begin), many = 0;
    Stop stop = {end, true};
    if (watch.few != NEVER) stop = next_stop(watch, begin, half, end, false);
    while (true) {
        const u32 until = min(stop.half, 2u * place.end);
#pragma unroll 1
        for (; half < until; ++half) many += half_step(half & 1u, half >> 1, half + ahead, half >= collected);
        if (half == stop.half) {
            if (stop.last) return many;
            stop = next_stop(watch, begin, half, end, are_few(watch, (half - begin) / (2u * SPA_WINDOW) - 1u, many));
            many = 0;
        }
        if (half < 2u * place.end) continue;
        // Warps need not be at the same place.
        if (!LINE) __syncthreads();
        open_step<LINE>(p, place.step + 1u, tables, place);
    }
}
