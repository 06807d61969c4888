// The sparse packed kernel: only RVs that can change, and of those only labels that can be drawn; exact.
//
// Labels: with a capped pair term, a label outside the near set (V < cap beside some neighbour) costs
// far = beta * cap * neighbours more than its singleton. If even the best singleton of the RV plus far is not live,
// only near labels are; otherwise all labels are evaluated (draw.cuh).
//
// RVs (event-driven Gibbs sampling): one live label and unchanged neighbours mean the same label again, as long as the
// live set cannot grow. A bit a RV says that it must be updated: it had more than one live label, or a neighbour
// changed. A warp takes SPA_WORDS words of 32 RVs from all over the field, so that all warps have about as much to do,
// and packs the RVs that must be updated.
//
// Set by the host: SPA_WORDS (1 to 8), and the macros of packed.cuh.

#define WARPS (SPA_THREADS / 32)
#define NEAR_MAX 16

struct WarpSpace {
    u8 list[SPA_WORDS * 32];
    u32 changed[SPA_WORDS], live[SPA_WORDS];
};

struct Figures {
    u32 touched, updated, all_labels, live;
};

// One RV; sets *changed and *open (more than one live label).
__device__ __forceinline__ void update_sparse(const PackedParams &p, const Tables &t, const Step &step, u32 colour, u32 y,
                                              u32 j, u32 now, bool *changed, bool *open, Figures &figures) {
    const u32 x = 2u * j + ((y + colour) & 1u);
    const Around a = look_around(p, colour, y, j);
    const u32 best = __ldg(p.least[colour] + (u64)y * p.half + j);
#if SPA_VOLUME
    const u32 first = 0;
#else
    const u32 first = __ldg(p.first + (u64)y * p.width + x);
#endif
    const u64 near = t.near[a.left] | t.near[a.right] | t.near[a.up] | t.near[a.down];
    const u32 many = __popcll(near);
    const u8 *left = t.pair + a.left * PAIR_ROW, *right = t.pair + a.right * PAIR_ROW;
    const u8 *up = t.pair + a.up * PAIR_ROW, *down = t.pair + a.down * PAIR_ROW;

    // Energies of the near labels, four at a time so that their loads overlap.
    u32 e[NEAR_MAX];
    u32 least = 256;
    u64 rest = near;
#pragma unroll
    for (u32 b = 0; b < NEAR_MAX; b += 4) {
        if (b < many) {
            u32 s[4], v[4];
#pragma unroll
            for (u32 k = 0; k < 4; ++k) {
                const u32 l = rest ? __ffsll(rest) - 1 : 0;
                rest &= rest - 1;
                s[k] = one_singleton(p, colour, x, y, j, first, l);
                v[k] = left[l] + right[l] + up[l] + down[l];
            }
#pragma unroll
            for (u32 k = 0; k < 4; ++k) {
                e[b + k] = b + k < many ? min(s[k] + v[k], 255u) : 256u;
                least = min(least, e[b + k]);
            }
        }
    }
    const u32 missing =
        (a.left == SPA_LABELS) + (a.right == SPA_LABELS) + (a.up == SPA_LABELS) + (a.down == SPA_LABELS);
    const u32 best_far = min(best + p.far * (4u - missing), 255u);
    figures.updated += 1;

    u32 label;
    if (many == 0 || many > NEAR_MAX || best_far < least + step.limit) {
        bool single;
        const u32 word = draw_word(p.key0, p.key1, x, y, p.chain << 24 | now);
        u32 s[QUADS];
        all_singletons(p, colour, y, j, x, s);
        label = draw_dense<false>(p, t, step, s, a, word, &single);
        *open = !single;
        figures.touched += SPA_LABELS;
        figures.all_labels += 1;
    } else {
        u32 total = 0, live = 0, place = 0;
#pragma unroll
        for (u32 b = 0; b < NEAR_MAX; b += 4) {
            if (b < many) {
                u32 w[4];
#pragma unroll
                for (u32 k = 0; k < 4; ++k) w[k] = t.weight[min(e[b + k] - least, 255u)];
#pragma unroll
                for (u32 k = 0; k < 4; ++k) {
                    w[k] = b + k < many ? w[k] : 0u;
                    place = e[b + k] == least ? b + k : place;
                    live += w[k] != 0;
                    total += w[k];
                    e[b + k] = total;
                }
            }
        }
        if (live > 1) {
            const u32 r = __umulhi(draw_word(p.key0, p.key1, x, y, p.chain << 24 | now) & p.u_mask, total);
            place = 0;
#pragma unroll
            for (u32 k = 0; k < NEAR_MAX; ++k) place += k < many && e[k] <= r;
        }
        rest = near;
        for (; place > 0; --place) rest &= rest - 1;
        label = __ffsll(rest) - 1;
        *open = live > 1;
        figures.touched += many;
        figures.live += live;
    }
    *changed = label != a.own;
    commit(p, colour, y, j, x, a.own, label, now);
}

// Neighbours of the changed RVs of one word must be updated.
__device__ __forceinline__ void wake(const PackedParams &p, u32 colour, u32 y, u32 column, u32 changed) {
    u32 *other = p.active[colour ^ 1u] + (u64)y * p.words + column;
    const bool odd = (y + colour) & 1u;
    atomicOr(other, changed | (odd ? changed << 1 : changed >> 1));
    if (y > 0) atomicOr(other - p.words, changed);
    if (y + 1u < p.height) atomicOr(other + p.words, changed);
    if (odd && changed >> 31 && column + 1u < p.words) atomicOr(other + 1, 1u);
    if (!odd && (changed & 1u) && column > 0) atomicOr(other - 1, 1u << 31);
}

extern "C" __global__ void __launch_bounds__(SPA_THREADS, 768 / SPA_THREADS)
packed_sparse(const __grid_constant__ Batch batch, u32 iteration, u32 iterations, u32 step_index) {
    const Share mine = share(batch);
    const PackedParams &p = batch.of[mine.job];
    __shared__ __align__(16) Tables t;
    __shared__ WarpSpace spaces[WARPS];
    const Step &step = p.steps[step_index];
    load_tables(p, step, t);
    const u32 lane = threadIdx.x & 31u;
    WarpSpace &space = spaces[threadIdx.x / 32u];
    const u32 words = p.words * p.height, groups = (words + SPA_WORDS - 1u) / SPA_WORDS;
    Figures figures = {0, 0, 0, 0};
    Barrier barrier = {p.barrier, mine.blocks, 0};

    for (u32 n = 0; n < iterations; ++n) {
        for (u32 colour = 0; colour < 2; ++colour) {
            for (u32 group = mine.block * WARPS + threadIdx.x / 32u; group < groups; group += mine.blocks * WARPS) {
                const u32 my_word = group + lane * groups;
                const bool own = lane < SPA_WORDS && my_word < words;
                const u32 my_y = my_word / p.words, my_column = my_word % p.words;
                u32 bits = 0;
                if (own) bits = __ldcg(p.active[colour] + my_word) & __ldg(p.valid[colour] + my_word);
                if (!__any_sync(FULL, bits != 0)) continue;
                u32 count = 0;
#pragma unroll
                for (u32 k = 0; k < SPA_WORDS; ++k) {
                    const u32 b = __shfl_sync(FULL, bits, k);
                    if (b >> lane & 1u) space.list[count + __popc(b & ((1u << lane) - 1u))] = (u8)(k << 5 | lane);
                    count += __popc(b);
                }
                if (lane < SPA_WORDS) space.changed[lane] = space.live[lane] = 0;
                __syncwarp();

                for (u32 base = 0; base < count; base += 32) {
                    const bool on = base + lane < count;
                    const u32 item = space.list[on ? base + lane : base];
                    const u32 y = __shfl_sync(FULL, my_y, item >> 5);
                    const u32 j = __shfl_sync(FULL, my_column, item >> 5) * 32u + (item & 31u);
                    if (on) {
                        bool changed, open;
                        update_sparse(p, t, step, colour, y, j, iteration + n, &changed, &open, figures);
                        if (open) atomicOr(&space.live[item >> 5], 1u << (item & 31u));
                        if (changed) atomicOr(&space.changed[item >> 5], 1u << (item & 31u));
                    }
                }
                __syncwarp();
                if (own && bits) {
                    __stcg(p.active[colour] + my_word, space.live[lane]);
                    if (space.changed[lane]) wake(p, colour, my_y, my_column, space.changed[lane]);
                }
                __syncwarp();
            }
            arrive(barrier);
            wait(barrier);
        }
    }

    const u32 sums[4] = {figures.touched, figures.updated, figures.all_labels, figures.live};
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
        const u32 sum = __reduce_add_sync(FULL, sums[k]);
        if (lane == 0 && sum) atomicAdd(p.counters + k, (u64)sum);
    }
}
