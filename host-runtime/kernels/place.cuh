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
