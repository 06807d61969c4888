// Random jobs that fit the build (included by tb.cpp).

bool tile(Bench& b) {
  Job& j = b.job;
  Tiling& t = b.t;
  t.w = up((j.W + P_Cols - 1) / P_Cols, std::max(4, 2 * K));
  t.h = up((j.H + P_Rows - 1) / P_Rows, 2);
  t.G = t.w / (2 * K);
  if (t.w > P_TileWidthMax || t.h > P_TileHeightMax || t.w * t.h > P_RvCapacity) return false;
  int left = 0, right = 0, above = 0, below = 0;
  for (int l = 0; l < j.L; l++) {
    left = std::max(left, -j.dx[l]), right = std::max(right, j.dx[l]);
    above = std::max(above, -j.dy[l]), below = std::max(below, j.dy[l]);
  }
  bool links = P_S2Links && std::max(left, right) <= t.w && std::max(above, below) <= t.h;
  t.replicate = !links || b.rnd.chance(25);
  t.ml = t.replicate ? left : 0;
  t.mu = t.replicate ? above : 0;
  t.region = t.replicate ? up(t.w + left + right, 2 * K) : t.w;
  t.rows = t.replicate ? t.h + above + below : t.h;
  t.stride = t.region / K;
  if (j.s2_mode == 2 && t.w * t.h * j.L > P_CostCapacity) return false;
  return j.s2_mode != 0 || t.region * t.rows <= P_S2Capacity;
}

void offsets(Bench& b) {
  Job& j = b.job;
  Rand& r = b.rnd;
  j.dx.assign(j.L, 0), j.dy.assign(j.L, 0), j.vx.assign(j.L, 0), j.vy.assign(j.L, 0);
  int side = 1;
  while ((side + 2) * (side + 2) <= 1 << P_LabelBits) side += 2;
  if (r.chance(40) && side > 1) {   // window
    j.L = side * side;
    j.dx.assign(j.L, 0), j.dy.assign(j.L, 0), j.vx.assign(j.L, 0), j.vy.assign(j.L, 0);
    for (int l = 0; l < j.L; l++) {
      j.vx[l] = l % side, j.vy[l] = l / side;
      j.dx[l] = j.vx[l] - side / 2, j.dy[l] = j.vy[l] - side / 2;
    }
  } else {
    int dmin = r(-3, 5), kind = r(0, 3);
    for (int l = 0; l < j.L; l++) {
      j.vx[l] = l;
      j.dx[l] = kind == 0 ? r(-9, 9) : -(l + dmin);
      j.dy[l] = kind == 0 ? r(-6, 6) : kind == 1 ? r(-1, 1) : 0;
    }
  }
}

void make_job(Bench& b, int n) {
  Job& j = b.job;
  Rand& r = b.rnd;
  const int sizes[] = {2, 3, 16, 49, 64, 225};
  for (;;) {
    int l = r.chance(50) ? sizes[r(0, 5)] : r(2, 1 << P_LabelBits);
    if (l > 1 << P_LabelBits) l = r(2, 1 << P_LabelBits);
    j.L = l;
    j.s2_mode = r.chance(20) ? 1 : P_SingletonTable && r.chance(50) ? 2 : 0;
    j.pair_form = P_PairTable && r.chance(50) ? 3 : r(0, 2);
    int kind = r(0, 9);
    if (kind == 0) j.W = r(1, 3 * P_Cols), j.H = r(1, 2 * P_Rows);
    else if (kind == 1) j.W = 61, j.H = 37;
    else if (kind < 6) j.W = r(1, 8 * P_Cols), j.H = r(1, 6 * P_Rows);
    else j.W = r(1, 16 * K * P_Cols), j.H = r(1, 12 * P_Rows);
    offsets(b);
    if (j.L * long(j.W) * j.H > 250000) continue;
    if (tile(b)) break;
  }
  const int count = j.W * j.H, smax = (1 << P_SingletonBits) - 1;
  j.squared = r.chance(40);
  j.shift = r.chance(50) ? 0 : r(0, 15);
  j.alpha = r.chance(70) ? r(0, 6) : r(0, 255);
  j.beta = r.chance(70) ? r(0, 16) : r(0, 255);
  j.data_cap = r.chance(20) ? 65535 : r(0, r.chance(50) ? 255 : 65535);
  j.s_outside = r.chance(50) ? j.data_cap : r(0, 65535);
  j.pair_cap = r.chance(60) ? r(1, 8) : r(1, 255);
  j.cutoff = r.chance(30) ? r(2, 255) : 0;
  j.seed = n % 5 == 0 ? 0 : n % 5 == 1 ? ~0ull : b.rnd.g();
  j.chain = r.chance(50) ? 0 : r(0, 255);
  j.value.resize(j.L);
  for (auto& v : j.value) v = r(0, smax);
  auto fill = [&](std::vector<uint8_t>& v, int size, int lo, int hi) {
    v.resize(size);
    for (auto& x : v) x = uint8_t(r(lo, hi));
  };
  fill(j.s1, count, 0, smax);
  fill(j.s2, count, 0, smax);
  fill(j.initial, count, 0, j.L - 1);
  fill(j.pair, j.L * j.L, 0, r.chance(50) ? 15 : 255);
  j.edges.clear();
  if (P_EdgeWeights && r.chance(80)) fill(j.edges, 2 * count, 0, r.chance(50) ? 15 : 3);
  int fixed = r.chance(50) ? 0 : r.chance(20) ? 100 : r(1, 60);
  fill(j.fixed, count, 0, 0);
  for (auto& f : j.fixed) f = r.chance(fixed);
  if (fixed == 0) std::fill(j.fixed.begin(), j.fixed.end(), 0);
  if (j.s2_mode == 2) {
    j.cost.resize(size_t(count) * j.L);
    for (auto& c : j.cost) c = uint16_t(r(0, r.chance(90) ? 300 : 65535));
  }
  j.schedule.clear();
  int entries = r.chance(40) ? 1 : r(2, 6), each = r.chance(50) ? 1 : r(1, 5);
  double T = r(1, 400) / 2.0;
  for (int e = 0; e < entries; e++, T *= 0.7) j.schedule.push_back({T, each});
  if (r.chance(20)) j.schedule.back().second += 12;
  j.burn_in = r(0, j.iterations() - 1);
}
