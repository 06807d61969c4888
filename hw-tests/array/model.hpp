// Scalar model of docs/contract.md, written apart from the `model` crate and the RTL, for the array testbench.
#pragma once
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

struct Hardware {
  int label_bits, singleton_bits, energy_bits, p_bits, u_bits, count_bits;
  bool linear;
};

struct Job {
  int W, H, L;
  int alpha, beta, shift, data_cap, s_outside;
  bool squared;
  int s2_mode;    // 0 pixel at an offset, 1 value of the label, 2 cost table
  int pair_form;  // 0 abs, 1 squared, 2 Potts, 3 table
  int pair_cap, cutoff;  // cutoff 0: off
  uint64_t seed;
  int chain, burn_in;
  std::vector<int> dx, dy, value, vx, vy;         // by label
  std::vector<uint8_t> s1, s2, fixed, initial;    // by RV
  std::vector<uint16_t> cost;                     // [RV][label]
  std::vector<uint8_t> pair;                      // [own][neighbour]
  std::vector<uint8_t> edges;                     // [RV][right, down]; empty: all 1
  std::vector<std::pair<double, int>> schedule;   // T, iterations
  int iterations() const {
    int n = 0;
    for (auto& s : schedule) n += s.second;
    return n;
  }
};

inline int edge(const Job& job, int rv, int down) { return job.edges.empty() ? 1 : job.edges[2 * size_t(rv) + down]; }

// Load data of the edges of (x, y): {down, up, right, left}; what leads out of the field is nonsense and must not matter.
inline uint32_t edge_word(const Job& job, int x, int y) {
  const int i = y * job.W + x;
  uint32_t word = 0xDEAD;
  auto set = [&](int n, int w) { word = (word & ~(15u << 4 * n)) | uint32_t(w) << 4 * n; };
  if (x > 0) set(0, edge(job, i - 1, 0));
  if (x < job.W - 1) set(1, edge(job, i, 0));
  if (y > 0) set(2, edge(job, i - job.W, 1));
  if (y < job.H - 1) set(3, edge(job, i, 1));
  return word;
}

using Message = std::tuple<uint32_t, int, int>;   // RV, label, count

inline void threefry(uint64_t seed, uint32_t c0, uint32_t c1, uint32_t out[2]) {
  const int rot[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  uint32_t k[3] = {uint32_t(seed), uint32_t(seed >> 32), 0};
  k[2] = k[0] ^ k[1] ^ 0x1BD11BDA;
  uint32_t a = c0 + k[0], b = c1 + k[1];
  for (int r = 0; r < 13; r++) {
    a += b;
    b = (b << rot[r % 8] | b >> (32 - rot[r % 8])) ^ a;
    if (r % 4 == 3) {
      int i = r / 4 + 1;
      a += k[i % 3];
      b += k[(i + 1) % 3] + i;
    }
  }
  out[0] = a;
  out[1] = b;
}

// Weight of each scaled energy, and the thresholds t_k = theta_k + 1 (0: never)
inline std::vector<int> weight_table(const Hardware& hw, double T, int cutoff) {
  std::vector<int> w(1 << hw.energy_bits);
  for (size_t es = 0; es < w.size(); es++) {
    int p = int(std::floor(((1 << hw.p_bits) - 1) * std::exp(-double(es) / T)));
    if (!hw.linear && p) p = 1 << (31 - __builtin_clz(p));
    if (cutoff && p * cutoff <= 1 << (hw.p_bits - 1)) p = 0;
    w[es] = p;
  }
  return w;
}

inline std::vector<int> thresholds(const Hardware& hw, const std::vector<int>& w) {
  std::vector<int> t(hw.p_bits, 0);
  for (size_t es = 0; es < w.size(); es++)
    for (int k = 0; k < hw.p_bits; k++)
      if (w[es] >= 1 << k) t[k] = int(es) + 1;
  return t;
}

struct Model {
  const Hardware hw;
  const Job& job;
  std::vector<uint8_t> label;
  std::map<Message, int> messages;
  struct Pair { int label = 0, count = 0; };
  std::vector<Pair> first, second;   // most and least recently picked

  Model(const Hardware& h, const Job& j)
      : hw(h), job(j), label(j.initial), first(j.initial.size()), second(j.initial.size()) {}

  int singleton(int x, int y, int l) const {
    int i = y * job.W + x, s2;
    if (job.s2_mode == 2) return std::min<int>(job.cost[size_t(i) * job.L + l], job.data_cap);
    if (job.s2_mode == 1) {
      s2 = job.value[l];
    } else {
      int sx = x + job.dx[l], sy = y + job.dy[l];
      if (sx < 0 || sy < 0 || sx >= job.W || sy >= job.H) return job.s_outside;
      s2 = job.s2[sy * job.W + sx];
    }
    int d = std::abs(job.s1[i] - s2);
    return std::min(job.squared ? d * d : d, job.data_cap);
  }

  int pair(int l, int m) const {
    int dx = job.vx[l] - job.vx[m], dy = job.vy[l] - job.vy[m], f = 0;
    switch (job.pair_form) {
      case 0: f = std::abs(dx) + std::abs(dy); break;
      case 1: f = dx * dx + dy * dy; break;
      case 2: return l == m ? 0 : job.pair_cap;
      case 3: f = job.pair[l * job.L + m]; break;
    }
    return std::min(f, job.pair_cap);
  }

  int sample(int x, int y, int iteration, const std::vector<int>& weights) {
    const int W = job.W, H = job.H, L = job.L, i = y * W + x, emax = (1 << hw.energy_bits) - 1;
    std::vector<int> e(L);
    int least = emax;
    for (int l = 0; l < L; l++) {
      int v = 0;
      if (x > 0) v += edge(job, i - 1, 0) * pair(l, label[i - 1]);
      if (x < W - 1) v += edge(job, i, 0) * pair(l, label[i + 1]);
      if (y > 0) v += edge(job, i - W, 1) * pair(l, label[i - W]);
      if (y < H - 1) v += edge(job, i, 1) * pair(l, label[i + W]);
      e[l] = std::min((job.alpha * singleton(x, y, l) + job.beta * v) >> job.shift, emax);
      least = std::min(least, e[l]);
    }
    uint64_t sum = 0;
    for (int l = 0; l < L; l++) sum += weights[e[l] - least];
    uint32_t word[2];
    threefry(job.seed, uint32_t(y) << 15 | uint32_t(x >> 2) << 1 | ((x + y) & 1),
             uint32_t(job.chain) << 24 | uint32_t(iteration), word);
    uint64_t u = word[(x >> 1) & 1] >> (32 - hw.u_bits);
    uint64_t r = (u * sum) >> hw.u_bits, prefix = 0;
    for (int l = 0; l < L; l++) {
      prefix += weights[e[l] - least];
      if (prefix > r) return l;
    }
    return -1;
  }

  void send(int i, Pair p) {
    if (p.count) messages[{i, p.label, p.count}]++;
  }

  void enter(int i, int l) {
    const int max = (1 << hw.count_bits) - 1;
    Pair &a = first[i], &b = second[i];
    auto bump = [&](Pair& p) {
      if (p.count == max) send(i, p), p.count = 1;
      else p.count++;
    };
    if (a.count && a.label == l) {
      bump(a);
    } else if (b.count && b.label == l) {
      std::swap(a, b);
      bump(a);
    } else {
      send(i, b);
      b = a;
      a = {l, 1};
    }
  }

  void run() {
    int it = 0;
    for (auto& step : job.schedule) {
      auto weights = weight_table(hw, step.first, job.cutoff);
      for (int n = 0; n < step.second; n++, it++)
        for (int colour = 0; colour < 2; colour++)
          for (int y = 0; y < job.H; y++)
            for (int x = (y + colour) & 1; x < job.W; x += 2) {
              int i = y * job.W + x;
              if (job.fixed[i]) continue;
              label[i] = uint8_t(sample(x, y, it, weights));
              if (it >= job.burn_in) enter(i, label[i]);
            }
    }
    for (size_t i = 0; i < first.size(); i++) send(int(i), first[i]), send(int(i), second[i]);
  }
};
