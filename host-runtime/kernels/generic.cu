// The generic kernel: every form, table and width of the contract; SPA_LANES lanes share a RV, each with SPA_PER_LANE
// consecutive labels. One launch updates one colour. Not the fastest, but the one that all others are compared with.
//
// Set by the host: SPA_LABELS, SPA_LANES (4, 8, 16, 32), SPA_PER_LANE, SPA_SINGLETON (0 pixels, 1 values, 2 table),
// SPA_SQUARED, SPA_LINEAR, SPA_FIXED; SPA_EDGES where edges have weights.

extern "C" __global__ void __launch_bounds__(256)
gibbs_generic(const GenericParams p, u32 chain_iteration, u32 colour, u32 collect, u32 step) {
    const u32 thread = blockIdx.x * 256u + threadIdx.x;
    const u32 lane = threadIdx.x % SPA_LANES;
    const u32 half = (p.width + 1u) / 2u;
    const u32 rv = thread / SPA_LANES;
    const u32 y = min(rv / half, p.height - 1u);
    const u32 odd = (y + colour) & 1u;
    const u32 x = min(2u * (rv % half) + odd, p.width - 1u);
    const u32 i = y * p.width + x;
    bool update = rv / half < p.height && 2u * (rv % half) + odd < p.width;
#if SPA_FIXED
    update = update && !p.fixed[i];
#endif

    const u8 *rows[4];
    rows[0] = x > 0 ? p.pair + (u32)p.labels[i - 1u] * SPA_LABELS : nullptr;
    rows[1] = x + 1u < p.width ? p.pair + (u32)p.labels[i + 1u] * SPA_LABELS : nullptr;
    rows[2] = y > 0 ? p.pair + (u32)p.labels[i - p.width] * SPA_LABELS : nullptr;
    rows[3] = y + 1u < p.height ? p.pair + (u32)p.labels[i + p.width] * SPA_LABELS : nullptr;
#if SPA_EDGES
    const u8 *edges = p.edges + 2ull * i;
    u32 weights[4];
    weights[0] = x > 0 ? __ldg(edges - 2) : 0u;
    weights[1] = __ldg(edges);
    weights[2] = y > 0 ? __ldg(edges + 1 - 2ll * p.width) : 0u;
    weights[3] = __ldg(edges + 1);
#endif
#if SPA_SINGLETON == 2
    const u32 first = 0;
#else
    const u32 first = p.first[i];
#endif

    u32 e[SPA_PER_LANE];
    u32 least = FULL;
#pragma unroll
    for (u32 k = 0; k < SPA_PER_LANE; ++k) {
        const u32 l = lane * SPA_PER_LANE + k;
        e[k] = FULL;
        if (l < SPA_LABELS) {
            u32 v = 0;
#pragma unroll
            for (u32 n = 0; n < 4; ++n) {
                u32 term = rows[n] ? __ldg(rows[n] + l) : 0u;
#if SPA_EDGES
                term *= weights[n];
#endif
                v += term;
            }
            e[k] = min((p.alpha * singleton(p, x, y, i, first, l) + p.beta * v) >> p.shift, p.energy_max);
        }
        least = min(least, e[k]);
    }
#pragma unroll
    for (u32 d = SPA_LANES / 2; d > 0; d /= 2) least = min(least, __shfl_xor_sync(FULL, least, d));

    u32 sum = 0;
#pragma unroll
    for (u32 k = 0; k < SPA_PER_LANE; ++k) {
        u32 w = 0;
        if (e[k] != FULL) {
#if SPA_LINEAR
            w = __ldg(p.weights + step * 1024u + (e[k] - least));
#else
#pragma unroll
            for (u32 b = 0; b < 8; ++b)
                if (e[k] - least < __ldg(p.limits + step * 8u + b)) w = 1u << b;
#endif
        }
        e[k] = w;
        sum += w;
    }
    const u32 up_to = sum_up_to_lane<SPA_LANES>(sum);
    const u32 total = __shfl_sync(FULL, up_to, SPA_LANES - 1, SPA_LANES);
    const u32 r = __umulhi(draw_word(p.key0, p.key1, x, y, chain_iteration) & p.u_mask, total);

    // The lane whose labels hold the r-th unit of weight finishes the update.
    u32 prefix = up_to - sum;
    if (!update || prefix > r || up_to <= r) return;
    u32 label = lane * SPA_PER_LANE;
#pragma unroll
    for (u32 k = 0; k + 1 < SPA_PER_LANE; ++k) {
        prefix += e[k];
        label += prefix <= r;
    }
    p.labels[i] = (u8)label;
    if (collect) {
        Entry entry = unpack(p.entries[i]);
        pick(entry, label, 1, p.count_max, p.log, i);
        p.entries[i] = pack(entry);
    }
}

// Sends every pair with a count > 0.
extern "C" __global__ void __launch_bounds__(256) drain_generic(const GenericParams p) {
    const u32 i = blockIdx.x * 256u + threadIdx.x;
    if (i >= p.width * p.height) return;
    const Entry e = unpack(p.entries[i]);
    if (e.mrp_count > 0) send(p.log, i, e.mrp, e.mrp_count);
    if (e.lrp_count > 0) send(p.log, i, e.lrp, e.lrp_count);
}
