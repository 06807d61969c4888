// Array testbench: random jobs on one build of spa_array, compared bit by bit with model.hpp.
//
// The build's parameters come as macros (see run.sh). usage: tb FIRST_JOB JOBS [VERBOSE], or tb speed
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <random>
#include "Vspa_array.h"
#include "model.hpp"
#include "verilated.h"

namespace {
constexpr int N = P_Rows * P_Cols, K = P_Spus;
const Hardware kHw = {P_LabelBits, P_SingletonBits, P_EnergyBits, P_PBits, P_UBits, P_CountBits, P_Linear != 0};
constexpr int kLatency = 33 + 3 * K;   // PipelineLatency

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

struct Bench {
  Vspa_array top;
  Rand rnd;
  Job job;
  Tiling t;
  std::map<Message, int> received;
  uint64_t cycles = 0, messages = 0, slots = 0, run_cycles = 0;
  int sink_percent = 100;
  bool bad_message = false, quick = false;   // quick: messages are taken and forgotten
  std::deque<bool> stalls = std::deque<bool>(4, false);

  void clock() {
    if (quick) {
      top.clk_i = 1;
      top.eval();
      top.clk_i = 0;
      top.eval();
      cycles++;
      return;
    }
    for (int n = 0; n < N; n++) put(&top.msg_ready_i, n, 1, rnd.chance(sink_percent));
    top.eval();
    for (int n = 0; n < N; n++)
      if (top.rst_ni && get(&top.msg_valid_o, n, 1) && get(&top.msg_ready_i, n, 1)) take(n);
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
    cycles++;
    stalls.push_back(top.stall_o);
    stalls.pop_front();
  }
  static uint64_t get(const void* p, int lo, int bits) {
    uint64_t v = 0;
    auto* b = static_cast<const uint8_t*>(p);
    for (int i = 0; i < bits; i++) v |= uint64_t(b[(lo + i) / 8] >> ((lo + i) % 8) & 1) << i;
    return v;
  }
  static void put(void* p, int lo, int bits, uint64_t v) {
    auto* b = static_cast<uint8_t*>(p);
    for (int i = 0; i < bits; i++) {
      b[(lo + i) / 8] &= uint8_t(~(1 << (lo + i) % 8));
      b[(lo + i) / 8] |= uint8_t((v >> i & 1) << (lo + i) % 8);
    }
  }

  void take(int n) {
    const int rb = log2i(P_RvCapacity);
    uint64_t m = get(&top.msg_data_o, n * P_MessageBits, P_MessageBits);
    int count = int(m & ((1 << P_CountBits) - 1));
    m >>= P_CountBits;
    int label = int(m & ((1 << P_LabelBits) - 1));
    m >>= P_LabelBits;
    int a = int(m & ((1u << rb) - 1)), spe = int(m >> rb);
    int x = spe % P_Cols * t.w + a % t.w, y = spe / P_Cols * t.h + a / t.w;
    messages++;
    if (spe != n || !count || x >= job.W || y >= job.H) {
      if (!bad_message) printf("  bad message: fifo %d spe %d a %d label %d count %d\n", n, spe, a, label, count);
      bad_message = true;
    }
    received[{y * job.W + x, label, count}]++;
  }

  void reset() {
    top.rst_ni = 0;
    top.load_valid_i = top.slot_valid_i = top.drain_start_i = top.rd_valid_i = 0;
    for (int i = 0; i < 32; i++) clock();
    top.rst_ni = 1;
    for (int i = 0; i < 5; i++) clock();
    received.clear();
    messages = 0;
  }

  void load(int target, int spe, uint32_t addr, uint32_t data) {
    top.load_valid_i = 1;
    top.load_target_i = target;
    top.load_spe_i = spe;
    top.load_addr_i = addr & 0xFFFFFF;
    top.load_data_i = data & 0xFFFFFF;
    clock();
    top.load_valid_i = 0;
    if (rnd.chance(2)) clock();
  }

  static uint32_t label_address(const Tiling& t, int x, int y) {
    int bank = ((x + y) >> 1 & 1) << 1 | (y & 1), colour = (x + y) & 1;
    int word = colour * (P_RvCapacity / 8) + (y >> 1) * (t.w / 4) + (x >> 2);
    return uint32_t(word << 2 | bank);
  }

  void load_job() {
    const int all = 0xFFF, lk = log2i(K);
    int entry = 0;
    for (auto& s : job.schedule) {
      auto w = weight_table(kHw, s.first, job.cutoff);
      auto th = thresholds(kHw, w);
      if (P_Linear)
        for (size_t es = 0; es < w.size(); es++) load(8, all, uint32_t(entry << P_EnergyBits | es), w[es]);
      else
        for (int k = 0; k < P_PBits; k++) load(8, all, entry * 16 + k, th[k]);
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
      int ox = n % P_Cols * t.w, oy = n / P_Cols * t.h;
      load(4, n, 0, ox);
      load(4, n, 1, oy);
      auto inside = [&](int x, int y) { return x >= 0 && y >= 0 && x < job.W && y < job.H; };
      for (int y = 0; y < t.h; y++)
        for (int x = 0; x < t.w; x++) {
          if (!inside(ox + x, oy + y)) continue;
          int i = (oy + y) * job.W + ox + x;
          load(0, n, y * t.w + x, job.fixed[i] << 8 | job.s1[i]);
          load(2, n, label_address(t, x, y), job.initial[i]);
          if (P_EdgeWeights) load(12, n, y * t.w + x, edge_word(job, ox + x, oy + y));
          if (job.s2_mode == 2) {
            int colour = (x + y) & 1, g = x / (2 * K), j = x % (2 * K) / 2;
            for (int l = 0; l < job.L; l++) {
              int word = ((colour * t.h + y) * t.G + g) * job.L + l;
              load(10, n, word << lk | j, job.cost[size_t(i) * job.L + l]);
            }
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
            int x = ox + col - t.ml, y = oy + row - t.mu;
            if (!inside(x, y)) continue;
            int bank = (col >> 1) % K, word = row * t.stride + (col >> (1 + lk)) * 2 + (col & 1);
            load(1, n, word << lk | bank, job.s2[y * job.W + x]);
          }
    }
  }

  void configure() {
    top.cfg_width_i = job.W;
    top.cfg_height_i = job.H;
    top.cfg_tile_width_i = t.w;
    top.cfg_tile_height_i = t.h;
    top.cfg_labels_i = job.L;
    top.cfg_alpha_i = job.alpha;
    top.cfg_beta_i = job.beta;
    top.cfg_shift_i = job.shift;
    top.cfg_data_cap_i = job.data_cap;
    top.cfg_s_outside_i = job.s_outside;
    top.cfg_squared_i = job.squared;
    top.cfg_s2_mode_i = job.s2_mode;
    top.cfg_pair_form_i = job.pair_form;
    top.cfg_pair_cap_i = job.pair_cap;
    top.cfg_s2_replicate_i = t.replicate;
    top.cfg_s2_stride_i = t.stride;
    top.cfg_s2_wrap_i = t.h * t.stride;
    top.cfg_margin_left_i = t.ml;
    top.cfg_margin_up_i = t.mu;
    top.cfg_s2_margin_base_i = t.mu * t.stride;
    top.cfg_seed_i = job.seed;
    top.cfg_chain_i = job.chain;
  }

  void run_slots(bool lazy) {
    const int S = std::max({job.L, K, P_RngShare * ((K + 1) / 2)});
    const int gap = std::max(0, 3 * job.L + kLatency - t.distance() * S);
    int iteration = 0, row0 = 0, entry = 0, wait = 0;
    uint64_t start = cycles;
    for (auto& step : job.schedule) {
      for (int n = 0; n < step.second; n++, iteration++)
        for (int colour = 0; colour < 2; colour++) {
          if (iteration || colour) wait += gap;
          for (int s = 0; s < t.h * t.G; s++) {
            while (wait > 0 || stalls.front() || (lazy && rnd.chance(20))) clock(), wait--;
            top.slot_valid_i = 1;
            top.slot_half_start_i = s == 0;
            top.slot_colour_i = colour;
            top.slot_collect_i = iteration >= job.burn_in;
            top.slot_first_i = iteration == job.burn_in;
            top.slot_row0_i = row0;
            top.slot_row0_base_i = row0 * t.w;
            top.slot_iteration_i = iteration;
            top.slot_entry_i = entry;
            clock();
            slots++;
            top.slot_valid_i = 0;
            wait = S - 1;
          }
          row0 = (row0 + 1) % t.h;
        }
      entry++;
    }
    clock();
    while (!top.idle_o) clock();
    run_cycles = cycles - start;
    top.drain_start_i = 1;
    clock();
    top.drain_start_i = 0;
    for (int i = 0; i < 3; i++) clock();
    while (!top.drain_done_o) clock();
    while (!quick && messages < top.sent_o && cycles - start < 400000000) clock();
    for (int i = 0; i < 20; i++) clock();
  }

  std::vector<uint8_t> read_labels() {
    std::vector<uint8_t> got(job.initial.size());
    std::deque<int> pending;
    auto step = [&] {
      clock();
      top.rd_valid_i = 0;
      if (top.rd_valid_o && !pending.empty()) got[pending.front()] = top.rd_label_o, pending.pop_front();
    };
    for (int i = 0; i < job.W * job.H; i++) {
      int x = i % job.W, y = i / job.W;
      top.rd_valid_i = 1;
      top.rd_spe_i = y / t.h * P_Cols + x / t.w;
      top.rd_addr_i = label_address(t, x % t.w, y % t.h);
      pending.push_back(i);
      step();
    }
    for (int i = 0; i < 20; i++) step();
    if (!pending.empty()) printf("  readback: %zu labels missing\n", pending.size());
    return got;
  }

  bool check(const Model& m) {
    bool ok = !bad_message;
    auto labels = read_labels();
    int wrong = 0;
    for (int i = 0; i < job.W * job.H; i++)
      if (labels[i] != m.label[i] && wrong++ < 4)
        printf("  label (%d,%d): %d, model %d\n", i % job.W, i / job.W, labels[i], m.label[i]);
    ok &= wrong == 0;
    if (wrong) printf("  %d of %d labels wrong\n", wrong, job.W * job.H);
    if (messages != top.sent_o) printf("  sent_o %llu, received %llu\n", (unsigned long long)top.sent_o, (unsigned long long)messages), ok = false;
    if (received != m.messages) {
      int shown = 0;
      for (auto& [k, n] : m.messages)
        if ((!received.count(k) || received.at(k) != n) && shown++ < 4)
          printf("  message rv %u label %d count %d: model %d, array %d\n", std::get<0>(k), std::get<1>(k), std::get<2>(k), n, received.count(k) ? received.at(k) : 0);
      printf("  messages differ\n");
      ok = false;
    }
    // The log alone is the exact histogram.
    std::map<uint32_t, int> total;
    for (auto& [k, n] : received) total[std::get<0>(k)] += n * std::get<2>(k);
    for (int i = 0; i < job.W * job.H; i++)
      if (total[i] != (job.fixed[i] ? 0 : job.iterations() - job.burn_in)) {
        printf("  counts of rv %d add up to %d\n", i, total[i]);
        return false;
      }
    return ok;
  }
};

#include "jobs.hpp"
}  // namespace

int main(int argc, char** argv) {
  Verilated::commandArgs(argc, argv);
  Verilated::randReset(2);
  int first = argc > 1 ? atoi(argv[1]) : 0, jobs = argc > 2 ? atoi(argv[2]) : 10;
  bool verbose = argc > 3;
  Bench b;
  uint32_t out[2];
  threefry(0, 0, 0, out);
  if (out[0] != 0x9d1c5ec6 || out[1] != 0x8bd50731) return puts("model: wrong known answer"), 1;
  if (argc > 1 && !strcmp(argv[1], "speed")) {
    b.rnd.g.seed(1);
    do make_job(b, 1);
    while (b.job.s2_mode != 0 || b.t.G * b.t.h * b.job.L * b.job.iterations() < 20000);
    b.reset();
    b.configure();
    b.load_job();
    for (int n = 0; n < N; n++) Bench::put(&b.top.msg_ready_i, n, 1, 1);
    b.quick = true;
    auto begin = clock();
    b.run_slots(false);
    printf("%.0f cycles/s of processor time\n", b.run_cycles / (double(clock() - begin) / CLOCKS_PER_SEC));
    return 0;
  }
  int failed = 0;
  for (int n = first; n < first + jobs; n++) {
    b.rnd.g.seed(1000003ull * n + 17);
    make_job(b, n);
    if (n == first || b.rnd.chance(30)) b.reset();
    b.received.clear();
    b.messages = 0;
    b.slots = 0;
    b.bad_message = false;
    b.sink_percent = 100;
    b.configure();
    b.load_job();
    for (int i = 0; i < 12; i++) b.clock();
    b.sink_percent = b.rnd.chance(50) ? 100 : b.rnd(3, 60);
    b.run_slots(b.rnd.chance(30));
    Model m(kHw, b.job);
    m.run();
    bool ok = b.check(m);
    failed += !ok;
    const Job& j = b.job;
    if (!ok || verbose)
      printf("%s job %d: %dx%d tile %dx%d L %d alpha %d beta %d shift %d cap %d out %d sq %d s2 %d pair %d/%d rep %d cut %d sink %d it %d burn %d: %llu messages, %.3f slot-cycles\n",
             ok ? "ok  " : "FAIL", n, j.W, j.H, b.t.w, b.t.h, j.L, j.alpha, j.beta, j.shift, j.data_cap, j.s_outside, j.squared, j.s2_mode,
             j.pair_form, j.pair_cap, b.t.replicate, j.cutoff, b.sink_percent, j.iterations(), j.burn_in, (unsigned long long)b.messages,
             double(b.slots) * std::max({j.L, K, P_RngShare * ((K + 1) / 2)}) / b.run_cycles);
    if (failed > 3) break;
  }
  printf("%d jobs, %d failed, %llu cycles\n", jobs, failed, (unsigned long long)b.cycles);
  return failed != 0;
}
