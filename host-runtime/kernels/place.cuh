// What the kernels share that skip RVs: where they are in the schedule, as one launch runs through several entries, and parameters in registers.

// The schedule entry that a block is at.
struct Place {
    u32 step, end; // its first iteration after it
    Line line;
};

// What draws need of schedule entry `step`. Nobody may be drawing.
template <bool LINE> __device__ __forceinline__ void open_step(const PackedParams &p, u32 step, Tables &t, Place &place) {
    const Step *at = p.steps + step;
    place.step = step;
    place.end = __ldg(&at->end);
    place.line = Line{__ldg(&at->limit), __ldg(&at->scale), __ldg(&at->slope), __ldg(&at->start), __ldg(&at->bias), __ldg(at->weight)};
    if (LINE) return;
    load_weights(*at, t);
    __syncthreads();
}

// A number or an address in a register, if a block is alone on its multiprocessor: it has enough of them, and nothing else to do while it
// waits for a parameter.
template <class T> __device__ __forceinline__ T at_hand(T v) { return SPA_BLOCKS == 1 ? kept(v) : v; }

// All half-steps of a launch, by schedule entries; the sum of what `half_step` returns, which takes colour, iteration, number, and whether
// it is collected.
template <bool LINE, class F>
__device__ __forceinline__ u32 run_half_steps(const PackedParams &p, Tables &tables, Place &place, u32 iteration, u32 iterations, u32 told,
                                              const F &half_step) {
    const u32 begin = at_hand(2u * iteration), end = begin + 2u * iterations, collected = at_hand(2u * p.burn_in), ahead = at_hand(told - begin);
    u32 half = begin, sum = 0;
    while (true) {
        const u32 until = min(end, 2u * place.end);
#pragma unroll 1
        for (; half < until; ++half) sum += half_step(half & 1u, half >> 1, half + ahead, half >= collected);
        if (half >= end) return sum;
        // Warps need not be at the same place.
        if (!LINE) __syncthreads();
        open_step<LINE>(p, place.step + 1u, tables, place);
    }
}
