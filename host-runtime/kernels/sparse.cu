// The sparse packed kernel: only RVs that can change, and of those only labels that can be drawn; exact.
//
// Labels: with a capped pair term, a label outside the near set (V < cap beside some neighbour) costs
// far = beta * cap * neighbours more than its singleton. If even the best singleton of the RV plus far is not live,
// only near labels are; otherwise the whole warp evaluates every label of that RV.
//
// RVs (event-driven Gibbs sampling): one live label and unchanged neighbours mean the same label again, as long as the
// live set cannot grow. A bit a RV says that it must be updated: it had more than one live label, or a neighbour
// changed. A warp takes eight words of 32 RVs and packs those that must be updated.

#define ROWS 8
#define WARPS (SPA_THREADS / 32)
#define NEAR_MAX 16

struct WarpSpace {
    u8 list[ROWS * 32];
    u32 changed[ROWS], live[ROWS];
};

// One RV by all lanes, two labels each; returns label | live labels << 8.
__device__ __forceinline__ u32 update_by_warp(const PackedParams &p, const Tables &t, const Step &step, u32 colour, u32 y,
                                              u32 j, u32 around, u32 word) {
    const u32 lane = threadIdx.x & 31u;
    const u32 x = 2u * j + ((y + colour) & 1u);
    const u8 *left = t.pair + (around & 0xffu) * PAIR_ROW, *right = t.pair + (around >> 8 & 0xffu) * PAIR_ROW;
    const u8 *up = t.pair + (around >> 16 & 0xffu) * PAIR_ROW, *down = t.pair + (around >> 24) * PAIR_ROW;
#if SPA_VOLUME
    const u32 first = 0;
#else
    const u32 first = __ldg(p.first + (u64)y * p.width + x);
#endif
    u32 e[2], w[2], live = 0;
#pragma unroll
    for (u32 k = 0; k < 2; ++k) {
        const u32 l = lane + 32u * k;
        e[k] = FULL;
        if (l < SPA_LABELS)
            e[k] = min(one_singleton(p, colour, x, y, j, first, l) + left[l] + right[l] + up[l] + down[l], 255u);
    }
    const u32 least = __reduce_min_sync(FULL, min(e[0], e[1]));
#pragma unroll
    for (u32 k = 0; k < 2; ++k) {
        const u32 es = e[k] - least;
        w[k] = es < step.limit ? t.weight[es & 0xffu] : 0u;
        live += __popc(__ballot_sync(FULL, w[k] != 0));
    }
    u32 up_to = w[0] | w[1] << 16;
#pragma unroll
    for (u32 d = 1; d < 32; d *= 2) {
        const u32 below = __shfl_up_sync(FULL, up_to, d);
        if (lane >= d) up_to += below;
    }
    const u32 all = __shfl_sync(FULL, up_to, 31);
    const u32 lower = all & 0xffffu;
    const u32 r = __umulhi(word & p.u_mask, lower + (all >> 16));
    const u32 lows = __ballot_sync(FULL, (up_to & 0xffffu) > r);
    const u32 highs = __ballot_sync(FULL, lower + (up_to >> 16) > r);
    const u32 label = r < lower ? __ffs(lows) - 1 : __ffs(highs) + 31;
    return label | live << 8;
}

extern "C" __global__ void __launch_bounds__(SPA_THREADS)
packed_sparse(const PackedParams p, u32 iteration, u32 iterations, u32 step_index) {
    __shared__ __align__(16) Tables t;
    __shared__ WarpSpace spaces[WARPS];
    const Step &step = p.steps[step_index];
    load_tables(p, step, t);
    const u32 lane = threadIdx.x & 31u;
    WarpSpace &space = spaces[threadIdx.x / 32u];
    const u32 limit = step.limit;
    const u32 bands = (p.height + ROWS - 1u) / ROWS;
    u32 touched = 0, updated = 0, by_warp = 0, live_labels = 0;

    for (u32 n = 0; n < iterations; ++n) {
        for (u32 colour = 0; colour < 2; ++colour) {
            const u32 now = iteration + n;
            for (u32 tile = blockIdx.x * WARPS + threadIdx.x / 32u; tile < bands * p.words; tile += gridDim.x * WARPS) {
                const u32 word = tile % p.words, top = tile / p.words * ROWS;
                u32 bits = 0;
                const u32 my_y = top + lane;
                const u64 my_word = (u64)my_y * p.words + word;
                const bool mine = lane < ROWS && my_y < p.height;
                if (mine) {
                    bits = __ldcg(p.active[colour] + my_word);
                    if (bits) bits &= __ldg(p.valid[colour] + my_word);
                }
                if (!__any_sync(FULL, bits != 0)) continue;
                u32 count = 0;
#pragma unroll
                for (u32 row = 0; row < ROWS; ++row) {
                    const u32 b = __shfl_sync(FULL, bits, row);
                    if (b >> lane & 1u) space.list[count + __popc(b & ((1u << lane) - 1u))] = (u8)(row << 5 | lane);
                    count += __popc(b);
                }
                if (lane < ROWS) space.changed[lane] = space.live[lane] = 0;
                __syncwarp();

                for (u32 base = 0; base < count; base += 32) {
                    const bool on = base + lane < count;
                    const u32 item = space.list[on ? base + lane : base];
                    const u32 row = item >> 5, y = top + row, j = word * 32u + (item & 31u);
                    const u32 x = 2u * j + ((y + colour) & 1u);
                    const Around a = look_around(p, colour, y, j);
                    u64 near = t.near[a.left] | t.near[a.right] | t.near[a.up] | t.near[a.down];
                    const u32 many = __popcll(near);
                    bool whole = many == 0 || many > NEAR_MAX;
                    u32 label = a.own, live = 1;
                    u32 energy[NEAR_MAX];
                    u32 least = 256;
                    if (on && !whole) {
#if SPA_VOLUME
                        const u32 first = 0;
#else
                        const u32 first = __ldg(p.first + (u64)y * p.width + x);
#endif
                        u64 rest = near;
#pragma unroll
                        for (u32 k = 0; k < NEAR_MAX; ++k) {
                            if (k >= many) break;
                            const u32 l = __ffsll(rest) - 1;
                            rest &= rest - 1;
                            const u32 v = t.pair[a.left * PAIR_ROW + l] + t.pair[a.right * PAIR_ROW + l] +
                                          t.pair[a.up * PAIR_ROW + l] + t.pair[a.down * PAIR_ROW + l];
                            energy[k] = min(one_singleton(p, colour, x, y, j, first, l) + v, 255u);
                            least = min(least, energy[k]);
                        }
                        touched += many;
                        const u32 missing = (a.left == SPA_LABELS) + (a.right == SPA_LABELS) + (a.up == SPA_LABELS) +
                                            (a.down == SPA_LABELS);
                        const u32 best_far = min(__ldg(p.least[colour] + (u64)y * p.half + j) + p.far * (4u - missing), 255u);
                        whole = best_far < least + limit;
                    }
                    whole = whole && on;
                    u32 total = 0;
                    if (on && !whole) {
                        live = 0;
                        u64 rest = near;
#pragma unroll
                        for (u32 k = 0; k < NEAR_MAX; ++k) {
                            if (k >= many) break;
                            const u32 l = __ffsll(rest) - 1;
                            rest &= rest - 1;
                            const u32 es = energy[k] - least;
                            const u32 w = es < limit ? t.weight[es] : 0u;
                            total += w;
                            live += w != 0;
                            if (es == 0) label = l;
                            energy[k] = total;
                        }
                    }
                    const bool draw = on && (whole || live > 1);
                    u32 random = 0;
                    if (__any_sync(FULL, draw)) random = draw_word(p.key0, p.key1, x, y, p.chain << 24 | now);
                    if (draw && !whole) {
                        const u32 r = __umulhi(random & p.u_mask, total);
                        // Drop near labels until the prefix exceeds r.
                        u64 rest = near;
#pragma unroll
                        for (u32 k = 0; k < NEAR_MAX; ++k) {
                            if (k >= many || energy[k] > r) break;
                            rest &= rest - 1;
                        }
                        label = __ffsll(rest) - 1;
                    }
                    const u32 around = a.left | a.right << 8 | a.up << 16 | a.down << 24;
                    for (u32 need = __ballot_sync(FULL, whole); need; need &= need - 1) {
                        const u32 source = __ffs(need) - 1;
                        const u32 drawn = update_by_warp(p, t, step, colour, __shfl_sync(FULL, y, source),
                                                         __shfl_sync(FULL, j, source), __shfl_sync(FULL, around, source),
                                                         __shfl_sync(FULL, random, source));
                        if (lane == source) {
                            label = drawn & 0xffu;
                            live = drawn >> 8;
                            touched += SPA_LABELS;
                            by_warp += 1;
                        }
                    }
                    if (on) {
                        updated += 1;
                        live_labels += live;
                        if (live > 1) atomicOr(&space.live[row], 1u << (item & 31u));
                        if (label != a.own) atomicOr(&space.changed[row], 1u << (item & 31u));
                        commit(p, colour, y, j, x, a.own, label, now);
                    }
                }
                __syncwarp();
                if (mine && bits) {
                    __stcg(p.active[colour] + my_word, space.live[lane]);
                    const u32 changed = space.changed[lane];
                    if (changed) {
                        u32 *other = p.active[colour ^ 1u] + my_word;
                        const bool odd = (my_y + colour) & 1u;
                        atomicOr(other, changed | (odd ? changed << 1 : changed >> 1));
                        if (my_y > 0) atomicOr(other - p.words, changed);
                        if (my_y + 1u < p.height) atomicOr(other + p.words, changed);
                        if (odd && changed >> 31 && word + 1u < p.words) atomicOr(other + 1, 1u);
                        if (!odd && (changed & 1u) && word > 0) atomicOr(other - 1, 1u << 31);
                    }
                }
                __syncwarp();
            }
            grid_barrier(p.barrier, gridDim.x);
        }
    }

    u32 figures[4] = {touched, updated, by_warp, live_labels};
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
        const u32 sum = __reduce_add_sync(FULL, figures[k]);
        if (lane == 0 && sum) atomicAdd(p.counters + k, (u64)sum);
    }
}
