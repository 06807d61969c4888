// The dense kernel on resident tiles (tiles.cuh): every label of every RV, one thread a RV at a time (draw.cuh). For pictures
// whose half-steps are so short that all blocks meeting at a barrier take longer than the updates.
//
// Set by the host: the macros of packed.cuh.

template <bool LINE>
__device__ __forceinline__ void dense_tile(const Batch &batch, u32 iteration, u32 iterations, u32 step_index) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    __shared__ __align__(16) Tables tables;
    DYNAMIC_SHARED(pool);
    const Tile t = open_tile(p, mine.block, pool);
    if (t.height == 0) return;
    const Step &step = p.steps[step_index];
    load_tables(p, step, tables);
    const u32 many = t.width * t.height;
    u32 row = threadIdx.x / t.width, column = threadIdx.x % t.width;
    Ahead ahead;
    ahead.y = t.top + row;
    ahead.j = t.left + column;
    ahead.on = false;
    if (threadIdx.x < many) look_ahead(p, 0, iteration, ahead);
#pragma unroll 1
    for (u32 half = 0; half < 2u * iterations; ++half) {
        const u32 colour = half & 1u;
        if (half > 0) refresh<false>(p, t, half, nullptr);
        __syncthreads();
#pragma unroll 1
        for (u32 k = threadIdx.x; k < many;) {
            if (ahead.on) {
                const Around a = look_around(t, colour, (ahead.y + colour) & 1u, row, column);
                const u32 label = draw_dense<LINE>(p, tables, step, ahead, a);
                if (label != a.own) *label_at(t, colour, row, column) = (u8)label;
                commit(p, colour, ahead.y, ahead.j, ahead.x, a.own, label, iteration + (half >> 1));
            }
            k += SPA_THREADS;
            if (k >= many) break;
            row = k / t.width;
            column = k % t.width;
            ahead.y = t.top + row;
            ahead.j = t.left + column;
            look_ahead(p, colour, iteration + (half >> 1), ahead);
        }
        tell(p, t, half + 1u);
        // The first RV of the next half-step is looked at while the neighbours finish this one.
        if (many > SPA_THREADS) {
            row = threadIdx.x / t.width;
            column = threadIdx.x % t.width;
            ahead.y = t.top + row;
            ahead.j = t.left + column;
        }
        if (threadIdx.x < many) look_ahead(p, colour ^ 1u, iteration + (half + 1u >> 1), ahead);
    }
}

extern "C" __global__ void __launch_bounds__(SPA_THREADS, 768 / SPA_THREADS)
packed_tiles_dense(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step) {
    dense_tile<true>(batch, iteration, iterations, step);
}

// For temperatures whose thresholds lie on no line.
extern "C" __global__ void __launch_bounds__(SPA_THREADS, 768 / SPA_THREADS)
packed_tiles_dense_table(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step) {
    dense_tile<false>(batch, iteration, iterations, step);
}
