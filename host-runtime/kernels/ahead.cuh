// A RV to update and what is known of the update before its neighbours are.
struct Ahead {
    u32 y, j, x, word;
    bool on;   // in the field and not fixed
    bool wide; // samples.cuh
    u32 s[QUADS];
};

__device__ __forceinline__ bool free_at(const PackedParams &p, u32 colour, u32 y, u32 j, u32 *x) {
    if (SPA_STRIPPED == 1) return false;
    return field_position(p, colour, y, j, x) && __ldg(p.valid[colour] + (u64)y * p.words + j / 32u) >> j % 32u & 1u;
}

__device__ __forceinline__ uint2 pair_of_words(const PackedParams &p, u32 colour, u32 y, u32 j, u32 iteration) {
    return threefry(p.key0, p.key1, y << 15 | (j >> 1) << 1 | colour, p.chain << 24 | iteration);
}

__device__ __forceinline__ void look_ahead(const PackedParams &p, u32 colour, u32 iteration, Ahead &ahead) {
    ahead.on = ahead.y < p.height && free_at(p, colour, ahead.y, ahead.j, &ahead.x);
    if (!ahead.on) return;
    const uint2 words = pair_of_words(p, colour, ahead.y, ahead.j, iteration);
    ahead.word = ahead.j & 1u ? words.y : words.x;
    ahead.wide = wide_at(p, colour, ahead.y, ahead.j);
    all_singletons(p, colour, ahead.y, ahead.j, ahead.x, ahead.wide, ahead.s);
}
