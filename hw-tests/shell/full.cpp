// full.cpp: the whole accelerator, as a host sees it: random jobs of the array testbench go through memory and
// registers, and log and labels must be those of the scalar model. usage: full FIRST_JOB JOBS
#include <algorithm>
#include <cstring>
#include <tuple>

#include "card.hpp"
#include "../array/model.hpp"

namespace {

constexpr int N = P_Rows * P_Cols, K = P_Spus;
const Hardware kHw = {P_LabelBits, P_SingletonBits, P_EnergyBits, P_PBits, P_UBits, P_CountBits, P_Linear != 0};
constexpr uint64_t kLoadBase = 0x1000000, kRingBase = 0x2000000, kLabelBase = 0x3000000;

int log2i(int v) { int n = 0; while ((1 << n) < v) n++; return n; }
int up(int v, int m) { return (v + m - 1) / m * m; }

struct Rand {
  std::mt19937_64 g;
  int operator()(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(g); }
  bool chance(int percent) { return (*this)(1, 100) <= percent; }
};

struct Tiling {
  int w, h, G;
  bool replicate;
  int ml = 0, mu = 0, stride, rows, region;
  int distance() const { return h == 2 ? 1 : std::min((h - 2) * G, (h - 1) * G - (G - 1)); }
};

// What jobs.hpp makes jobs for.
struct Bench {
  Rand rnd;
  Job job;
  Tiling t;
};

#include "../array/jobs.hpp"

class Records {
 public:
  explicit Records(Memory &memory) : memory_(memory) {}
  void operator()(int target, int spe, uint32_t addr, uint32_t data) {
    word(uint64_t(target) << 60 | uint64_t(spe) << 48 | uint64_t(addr & 0xFFFFFF) << 24 | (data & 0xFFFFFF));
  }
  uint32_t finish() {
    while (count_ % (kLineBytes / 8)) word(UINT64_C(15) << 60);
    return uint32_t(count_ * 8 / kLineBytes);
  }

 private:
  void word(uint64_t value) {
    for (int b = 0; b < 8; b++) memory_.poke(kLoadBase + 8 * count_ + b, uint8_t(value >> (8 * b)));
    count_++;
  }
  Memory &memory_;
  uint64_t count_ = 0;
};

int colour_of(int x, int y) { return (x + y) & 1; }
int bank_of(int x, int y) { return ((x + y) >> 1 & 1) << 1 | (y & 1); }
int word_of(const Tiling &t, int x, int y) { return (y >> 1) * (t.w / 4) + (x >> 2); }

uint32_t write_records(const Job &job, const Tiling &t, Records load) {
  const int all = 0xFFF, lk = log2i(K);
  int entry = 0;
  for (auto &step : job.schedule) {
    const auto weights = weight_table(kHw, step.first, job.cutoff);
    const auto limits = thresholds(kHw, weights);
    load(11, all, entry, step.second);
    if (P_Linear)
      for (size_t es = 0; es < weights.size(); es++) load(8, all, uint32_t(entry << P_EnergyBits | es), weights[es]);
    else
      for (int k = 0; k < P_PBits; k++) load(8, all, entry * 16 + k, limits[k]);
    entry++;
  }
  for (int l = 0; l < job.L; l++) {
    load(7, all, l, job.vy[l] << 8 | job.vx[l]);
    if (job.s2_mode == 1) load(6, all, l, job.value[l]);
    if (job.s2_mode == 0) {
      load(5, all, 2 * l, (job.dy[l] & 0xFFF) << 12 | (job.dx[l] & 0xFFF));
      load(5, all, 2 * l + 1, uint32_t(job.dy[l] * t.stride));
    }
    if (job.pair_form == 3)
      for (int m = 0; m < job.L; m++) load(9, all, l << P_LabelBits | m, job.pair[l * job.L + m]);
  }
  for (int n = 0; n < N; n++) {
    const int ox = n % P_Cols * t.w, oy = n / P_Cols * t.h;
    load(4, n, 0, ox);
    load(4, n, 1, oy);
    auto inside = [&](int x, int y) { return x >= 0 && y >= 0 && x < job.W && y < job.H; };
    for (int y = 0; y < t.h; y++)
      for (int x = 0; x < t.w; x++) {
        if (!inside(ox + x, oy + y)) continue;
        const int i = (oy + y) * job.W + ox + x;
        load(0, n, y * t.w + x, job.fixed[i] << 8 | job.s1[i]);
        load(2, n, (colour_of(x, y) * (P_RvCapacity / 8) + word_of(t, x, y)) << 2 | bank_of(x, y), job.initial[i]);
        if (P_EdgeWeights) load(12, n, y * t.w + x, edge_word(job, ox + x, oy + y));
        if (job.s2_mode == 2)
          for (int l = 0; l < job.L; l++) {
            const int word = ((colour_of(x, y) * t.h + y) * t.G + x / (2 * K)) * job.L + l;
            load(10, n, word << lk | x % (2 * K) / 2, job.cost[size_t(i) * job.L + l]);
          }
      }
    auto halo = [&](int side, int index, int x, int y) {
      if (inside(ox + x, oy + y)) load(3, n, side << 22 | index, job.initial[(oy + y) * job.W + ox + x]);
    };
    for (int y = 0; y < t.h; y++) halo(0, y, -1, y), halo(1, y, t.w, y);
    for (int x = 0; x < t.w; x++) halo(2, x, x, -1), halo(3, x, x, t.h);
    if (job.s2_mode == 0)
      for (int row = 0; row < t.rows; row++)
        for (int col = 0; col < t.region; col++) {
          const int x = ox + col - t.ml, y = oy + row - t.mu;
          if (!inside(x, y)) continue;
          const int word = row * t.stride + (col >> (1 + lk)) * 2 + (col & 1);
          load(1, n, word << lk | (col >> 1) % K, job.s2[y * job.W + x]);
        }
  }
  return load.finish();
}

void write_parameters(Card &card, const Job &job, const Tiling &t, uint32_t load_lines) {
  const int S = std::max({job.L, K, P_RngShare * ((K + 1) / 2)});
  const uint64_t latency = SPA_GET(card.read(SPA_BUILD_ARRAY_OFFSET), SPA_BUILD_ARRAY_PIPELINE_LATENCY);
  const int gap = std::max(0, 3 * job.L + int(latency) - t.distance() * S);
  card.write(SPA_FIELD_SIZE_OFFSET, SPA_PUT(job.W, SPA_FIELD_SIZE_WIDTH) | SPA_PUT(job.H, SPA_FIELD_SIZE_HEIGHT));
  card.write(SPA_TILE_SIZE_OFFSET, SPA_PUT(t.w, SPA_TILE_SIZE_WIDTH) | SPA_PUT(t.h, SPA_TILE_SIZE_HEIGHT) |
             SPA_PUT(t.G, SPA_TILE_SIZE_GROUPS));
  card.write(SPA_LABELS_OFFSET, uint64_t(job.L));
  card.write(SPA_ENERGY_OFFSET, SPA_PUT(job.alpha, SPA_ENERGY_ALPHA) | SPA_PUT(job.beta, SPA_ENERGY_BETA) |
             SPA_PUT(job.shift, SPA_ENERGY_SHIFT) | SPA_PUT(job.data_cap, SPA_ENERGY_DATA_CAP) |
             SPA_PUT(job.s_outside, SPA_ENERGY_S_OUTSIDE));
  card.write(SPA_FORM_OFFSET, SPA_PUT(job.squared, SPA_FORM_SQUARED) | SPA_PUT(job.s2_mode, SPA_FORM_S2_MODE) |
             SPA_PUT(job.pair_form, SPA_FORM_PAIR_FORM) | SPA_PUT(t.replicate, SPA_FORM_REPLICATE) |
             SPA_PUT(job.pair_cap, SPA_FORM_PAIR_CAP));
  card.write(SPA_S2_LAYOUT_OFFSET, SPA_PUT(t.stride, SPA_S2_LAYOUT_STRIDE) |
             SPA_PUT(t.h * t.stride, SPA_S2_LAYOUT_WRAP));
  card.write(SPA_S2_MARGIN_OFFSET, SPA_PUT(t.ml, SPA_S2_MARGIN_LEFT) | SPA_PUT(t.mu, SPA_S2_MARGIN_UP) |
             SPA_PUT(t.mu * t.stride, SPA_S2_MARGIN_BASE));
  card.write(SPA_SEED_OFFSET, job.seed);
  card.write(SPA_CHAIN_OFFSET, uint64_t(job.chain));
  card.write(SPA_ITERATIONS_OFFSET, SPA_PUT(job.iterations(), SPA_ITERATIONS_TOTAL) |
             SPA_PUT(job.burn_in, SPA_ITERATIONS_BURN_IN));
  card.write(SPA_SLOT_TIMING_OFFSET, SPA_PUT(S, SPA_SLOT_TIMING_CYCLES) | SPA_PUT(gap, SPA_SLOT_TIMING_SWITCH_GAP));
  card.write(SPA_SCHEDULE_OFFSET, job.schedule.size());
  card.write(SPA_LOAD_BASE_OFFSET, kLoadBase);
  card.write(SPA_LOAD_LINES_OFFSET, load_lines);
  card.write(SPA_READBACK_BASE_OFFSET, kLabelBase);
  card.write(SPA_READBACK_WORDS_OFFSET, uint64_t(t.w * t.h / 8));
}

void check(Card &card, const Job &job, const Tiling &t, int number) {
  Model model(kHw, job);
  model.run();
  CHECK(card.read(SPA_ERRORS_OFFSET) == 0, "job %d: errors %llx", number, (unsigned long long)card.read(SPA_ERRORS_OFFSET));
  const uint64_t sent = card.read(SPA_COUNT_SENT_OFFSET);
  CHECK(sent == card.read(SPA_COUNT_RECEIVED_OFFSET), "job %d: sent and received", number);
  std::map<Message, int> log;
  uint64_t used = 0;
  const int rv_bits = log2i(P_RvCapacity);
  for (uint64_t m : card.messages) {
    const int count = int(m & ((1u << P_CountBits) - 1));
    if (!count) continue;
    used++;
    m >>= P_CountBits;
    const int label = int(m & ((1u << P_LabelBits) - 1));
    m >>= P_LabelBits;
    const int a = int(m & ((1u << rv_bits) - 1)), spe = int(m >> rv_bits);
    const int x = spe % P_Cols * t.w + a % t.w, y = spe / P_Cols * t.h + a / t.w;
    CHECK(spe < N && x < job.W && y < job.H, "job %d: message of SPE %d, %d", number, spe, a);
    log[{y * job.W + x, label, count}]++;
  }
  CHECK(used == sent, "job %d: %llu messages in the log of %llu", number, (unsigned long long)used, (unsigned long long)sent);
  CHECK(log == model.messages, "job %d: log differs from the model", number);
  for (int y = 0; y < job.H; y++)
    for (int x = 0; x < job.W; x++) {
      const int spe = y / t.h * P_Cols + x / t.w, lx = x % t.w, ly = y % t.h;
      const uint64_t at = uint64_t(spe) * t.w * t.h + colour_of(lx, ly) * (t.w * t.h / 2) + word_of(t, lx, ly) * 4 + bank_of(lx, ly);
      CHECK(card.memory.peek(kLabelBase + at) == model.label[y * job.W + x], "job %d: label of (%d, %d)", number, x, y);
    }
}

}  // namespace

int main(int argc, char **argv) {
  Verilated::commandArgs(argc, argv);
  const int first = argc > 1 ? std::atoi(argv[1]) : 0, jobs = argc > 2 ? std::atoi(argv[2]) : 10;
  Card card;
  uint64_t messages = 0;
  for (int n = first; n < first + jobs; n++) {
    Bench b;
    b.rnd.g.seed(1000003ull * n + 17);
    make_job(b, n);
    rng().seed(n);
    card.memory.ready_percent = int(pick(20, 100));
    card.memory.read_percent = int(pick(50, 100));
    card.memory.latency = int(pick(1, 60));
    card.memory.forbid_all();
    card.ring(kRingBase, uint32_t(pick(1, 64)));
    const uint64_t labels = uint64_t(N) * b.t.w * b.t.h;
    card.memory.allow(kLabelBase, (labels + kLineBytes - 1) / kLineBytes * kLineBytes, false);
    write_parameters(card, b.job, b.t, write_records(b.job, b.t, Records(card.memory)));
    for (int again = 0; again < 2; again++) {
      card.start(SPA_CONTROL_LOAD_MASK | SPA_CONTROL_RUN_MASK | SPA_CONTROL_READBACK_MASK);
      card.finish(pick(0, 500), pick(1, 20), 50000000);
      check(card, b.job, b.t, n);
      messages += card.read(SPA_COUNT_RECEIVED_OFFSET);
    }
  }
  std::printf("PASS %d jobs twice, line %d, message %d, %d SPEs of %d: %llu messages, %llu cycles\n", jobs, LINE_BITS,
              MESSAGE_BITS, N, K, (unsigned long long)messages, (unsigned long long)cycle());
  return 0;
}
