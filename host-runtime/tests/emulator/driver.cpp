// A stand-in for libcuda: one card with two multiprocessors whose memory is the host's; launches run to their end on the
// CPU (device.hpp). Every buffer lies between two guards that are checked after every launch.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>

namespace {
constexpr size_t GUARD = 256, MEMORY = size_t(4) << 30;
size_t used = 0;
std::map<void *, size_t> buffers;
std::map<void *, std::string> names;
// Several cards are driven by threads of their own.
std::recursive_mutex lock;
using Locked = std::lock_guard<std::recursive_mutex>;

// A kernel that wrote outside a buffer ends the test.
void check_guards(void *function) {
    const Locked locked(lock);
    for (auto &[at, n] : buffers) {
        const unsigned char *bytes = (const unsigned char *)at;
        for (size_t i = 0; i < GUARD; ++i)
            if (bytes[i - GUARD] != 0xa5 || bytes[n + i] != 0xa5) {
                fprintf(stderr, "emulator: %s wrote outside a buffer of %zu bytes\n", names[function].c_str(), n);
                abort();
            }
    }
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
} // namespace

extern "C" {
int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int *v) { return *v = 13000, 0; }
int cuGetErrorName(int, const char **s) { return *s = "CUDA_ERROR", 0; }
int cuGetErrorString(int, const char **s) { return *s = "stand-in error", 0; }
int cuDeviceGet(int *d, int i) { return *d = i, 0; }
int cuDeviceGetCount(int *n) {
    const char *cards = getenv("SPA_EMULATOR_CARDS");
    return *n = cards ? atoi(cards) : 1, 0;
}
int cuDeviceTotalMem_v2(size_t *n, int) { return *n = MEMORY, 0; }
int cuDeviceGetName(char *s, int n, int) { return snprintf(s, n, "emulated card"), 0; }
int cuDeviceGetAttribute(int *v, int attribute, int) {
    // Compute capability 9.0, two multiprocessors, shared memory of a block: little, so that tiles take turns soon; no memory pools.
    const char *shared = getenv("SPA_EMULATOR_SHARED");
    *v = attribute == 75 ? 9 : attribute == 16 ? 2 : attribute == 97 ? (shared ? atoi(shared) : 48) << 10 : 0;
    return 0;
}
int cuDevicePrimaryCtxRetain(void **c, int) { return *c = (void *)1, 0; }
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxSetCurrent(void *) { return 0; }
int cuCtxGetCurrent(void **c) { return *c = (void *)1, 0; }
int cuCtxSynchronize() { return 0; }
int cuMemGetInfo_v2(size_t *free, size_t *total) { return *free = MEMORY - used, *total = MEMORY, 0; }
int cuStreamCreate(void **s, unsigned) { return *s = (void *)1, 0; }
int cuStreamDestroy_v2(void *) { return 0; }
int cuStreamSynchronize(void *) { return 0; }
int cuStreamWaitEvent(void *, void *, unsigned) { return 0; }
int cuEventCreate(void **e, unsigned) { return *e = calloc(1, sizeof(double)), 0; }
int cuEventDestroy_v2(void *e) { return free(e), 0; }
int cuEventRecord(void *e, void *) { return *(double *)e = now(), 0; }
int cuEventSynchronize(void *) { return 0; }
int cuEventQuery(void *) { return 0; }
int cuEventElapsedTime(float *ms, void *a, void *b) { return *ms = float(1e3 * (*(double *)b - *(double *)a)), 0; }
int cuEventElapsedTime_v2(float *ms, void *a, void *b) { return cuEventElapsedTime(ms, a, b); }

int cuMemAlloc_v2(void **p, size_t n) {
    const Locked locked(lock);
    if (n > MEMORY - used) return 2;
    used += n;
    char *at = (char *)aligned_alloc(256, (n + 2 * GUARD + 255) / 256 * 256);
    // What nobody has written must not look like zeros.
    memset(at, 0xa5, n + 2 * GUARD);
    *p = at + GUARD;
    buffers[*p] = n;
    return 0;
}
int cuMemFree_v2(void *p) {
    const Locked locked(lock);
    used -= buffers[p];
    buffers.erase(p);
    free((char *)p - GUARD);
    return 0;
}
int cuMemHostAlloc(void **p, size_t n, unsigned) { return *p = calloc(1, n), 0; }
int cuMemFreeHost(void *p) { return free(p), 0; }
int cuMemsetD8Async(void *p, unsigned char v, size_t n, void *) { return memset(p, v, n), 0; }
int cuMemcpyHtoDAsync_v2(void *d, const void *s, size_t n, void *) { return memcpy(d, s, n), 0; }
int cuMemcpyDtoHAsync_v2(void *d, const void *s, size_t n, void *) { return memcpy(d, s, n), 0; }
int cuMemcpyDtoDAsync_v2(void *d, const void *s, size_t n, void *) { return memcpy(d, s, n), 0; }

int cuModuleLoadData(void **m, const void *image) {
    *m = dlopen((const char *)image, RTLD_NOW | RTLD_LOCAL);
    if (!*m) fprintf(stderr, "emulator: %s\n", dlerror());
    return *m ? 0 : 200;
}
int cuModuleUnload(void *) { return 0; }
int cuModuleGetFunction(void **f, void *m, const char *name) {
    const Locked locked(lock);
    void *at = dlsym(m, (std::string("launch_") + name).c_str());
    *f = at;
    names[at] = name;
    return at ? 0 : 500;
}
int cuFuncSetAttribute(void *, int, int) { return 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, void *, int, size_t, unsigned) { return *n = 1, 0; }
int cuLaunchKernel(void *f, unsigned gx, unsigned, unsigned, unsigned bx, unsigned, unsigned, unsigned, void *, void **a,
                   void **) {
    ((void (*)(void **, unsigned, unsigned, int))f)(a, gx, bx, 0);
    check_guards(f);
    return 0;
}
int cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned, unsigned, unsigned bx, unsigned, unsigned, unsigned, void *,
                              void **a) {
    ((void (*)(void **, unsigned, unsigned, int))f)(a, gx, bx, 1);
    check_guards(f);
    return 0;
}
}
