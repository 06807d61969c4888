// Messages that wait in shared memory until there are more of them: an atomic of the card takes as long as half a draw.
//
// Set by the host: SPA_OUTBOX, messages that there is room for.

struct Outbox {
    u32 many; // may be more than there is room for: these were sent at once
    u64 messages[SPA_OUTBOX];
};

// A log behind an outbox.
struct Post {
    const Log &log;
    Outbox &outbox;
};

__device__ __forceinline__ void send(Post &post, u32 rv, u32 label, u32 count) {
    const u32 place = claim(post.outbox.many, 1u);
    if (place < SPA_OUTBOX) post.outbox.messages[place] = message(post.log, rv, label, count);
    else send(post.log, rv, label, count);
}

// Empties the outbox if it has more than `few`; by a warp, while nobody else is there.
__device__ __forceinline__ void collect_post(const Log &log, Outbox &outbox, u32 few) {
    __syncwarp();
    const u32 lane = threadIdx.x % 32u, many = min(outbox.many, SPA_OUTBOX);
    if (many <= few) return;
    u64 first = 0;
    if (lane == 0) first = atomicAdd(log.cursor, (u64)many);
    first = __shfl_sync(FULL, first, 0);
    for (u32 k = lane; k < many; k += 32u) log.messages[first + k] = outbox.messages[k];
    __syncwarp();
    if (lane == 0) outbox.many = 0;
    __syncwarp();
}
