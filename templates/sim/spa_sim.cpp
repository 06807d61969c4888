// Simulated card: wraps the Verilated accelerator in the C interface of spa_sim.h.

#include "spa_sim.h"

#include <cstring>
#include <new>

#include "Vspa.h"
#include "verilated.h"
#ifdef SPA_TRACE
#include "verilated_fst_c.h"
#endif

struct spa_sim {
  VerilatedContext context;
  Vspa *top = nullptr;
#ifdef SPA_TRACE
  VerilatedFstC trace;
#endif
};

namespace {

// Copies a port of any width: an integer up to 64 bits, an array of words above; little-endian hosts only.
template <typename Port>
void store(uint8_t (&bytes)[64], const Port &port) {
  static_assert(sizeof(Port) <= 64, "lines are at most 512 bits wide");
  std::memcpy(bytes, &port, sizeof(Port));
}

template <typename Port>
void load(Port &port, const uint8_t (&bytes)[64]) {
  static_assert(sizeof(Port) <= 64, "lines are at most 512 bits wide");
  std::memcpy(&port, bytes, sizeof(Port));
}

void apply(Vspa &top, const spa_sim_in &in) {
  top.rst_ni = in.rst_n;
  top.s_axil_awvalid_i = in.s_awvalid;
  top.s_axil_awaddr_i = in.s_awaddr;
  top.s_axil_wvalid_i = in.s_wvalid;
  top.s_axil_wdata_i = in.s_wdata;
  top.s_axil_wstrb_i = in.s_wstrb;
  top.s_axil_bready_i = in.s_bready;
  top.s_axil_arvalid_i = in.s_arvalid;
  top.s_axil_araddr_i = in.s_araddr;
  top.s_axil_rready_i = in.s_rready;
  top.m_axi_awready_i = in.m_awready;
  top.m_axi_wready_i = in.m_wready;
  top.m_axi_bvalid_i = in.m_bvalid;
  top.m_axi_bresp_i = in.m_bresp;
  top.m_axi_arready_i = in.m_arready;
  top.m_axi_rvalid_i = in.m_rvalid;
  top.m_axi_rlast_i = in.m_rlast;
  top.m_axi_rresp_i = in.m_rresp;
  load(top.m_axi_rdata_i, in.m_rdata);
}

void sample(const Vspa &top, spa_sim_out &out) {
  out.s_awready = top.s_axil_awready_o;
  out.s_wready = top.s_axil_wready_o;
  out.s_bvalid = top.s_axil_bvalid_o;
  out.s_bresp = top.s_axil_bresp_o;
  out.s_arready = top.s_axil_arready_o;
  out.s_rvalid = top.s_axil_rvalid_o;
  out.s_rresp = top.s_axil_rresp_o;
  out.s_rdata = top.s_axil_rdata_o;
  out.m_awvalid = top.m_axi_awvalid_o;
  out.m_awaddr = top.m_axi_awaddr_o;
  out.m_awlen = top.m_axi_awlen_o;
  out.m_awsize = top.m_axi_awsize_o;
  out.m_awburst = top.m_axi_awburst_o;
  out.m_wvalid = top.m_axi_wvalid_o;
  out.m_wlast = top.m_axi_wlast_o;
  out.m_wstrb = top.m_axi_wstrb_o;
  out.m_bready = top.m_axi_bready_o;
  out.m_arvalid = top.m_axi_arvalid_o;
  out.m_araddr = top.m_axi_araddr_o;
  out.m_arlen = top.m_axi_arlen_o;
  out.m_arsize = top.m_axi_arsize_o;
  out.m_arburst = top.m_axi_arburst_o;
  out.m_rready = top.m_axi_rready_o;
  store(out.m_wdata, top.m_axi_wdata_o);
}

// Settles everything with the clock low: the outputs of this cycle.
void settle(spa_sim &card) {
  card.top->clk_i = 0;
  card.top->eval();
#ifdef SPA_TRACE
  if (card.trace.isOpen()) card.trace.dump(card.context.time());
#endif
  card.context.timeInc(1);
}

// The rising edge that ends this cycle.
void edge(spa_sim &card) {
  card.top->clk_i = 1;
  card.top->eval();
#ifdef SPA_TRACE
  if (card.trace.isOpen()) card.trace.dump(card.context.time());
#endif
  card.context.timeInc(1);
}

}  // namespace

extern "C" {

uint32_t spa_sim_abi(void) { return SPA_SIM_ABI; }

uint32_t spa_sim_line_bytes(void) { return sizeof(Vspa::m_axi_wdata_o); }

spa_sim *spa_sim_create(uint32_t seed) {
  spa_sim *card = new (std::nothrow) spa_sim;
  if (card == nullptr) return nullptr;
  card->context.randReset(seed == 0 ? 0 : 2);
  card->context.randSeed(static_cast<int>(seed & 0x7fffffff));
#ifdef SPA_TRACE
  card->context.traceEverOn(true);
#endif
  card->top = new (std::nothrow) Vspa(&card->context);
  if (card->top == nullptr) {
    delete card;
    return nullptr;
  }
  return card;
}

void spa_sim_destroy(spa_sim *card) {
  if (card == nullptr) return;
#ifdef SPA_TRACE
  if (card->trace.isOpen()) card->trace.close();
#endif
  card->top->final();
  delete card->top;
  delete card;
}

void spa_sim_clock(spa_sim *card, const spa_sim_in *in, spa_sim_out *out) {
  apply(*card->top, *in);
  settle(*card);
  sample(*card->top, *out);
  edge(*card);
}

uint64_t spa_sim_idle(spa_sim *card, const spa_sim_in *in, spa_sim_out *out, uint64_t cycles) {
  Vspa &top = *card->top;
  apply(top, *in);
  for (uint64_t done = 0; done < cycles; ++done) {
    settle(*card);
    if (top.m_axi_awvalid_o || top.m_axi_wvalid_o || top.m_axi_arvalid_o) {
      sample(top, *out);
      return done;
    }
    edge(*card);
  }
  sample(top, *out);
  return cycles;
}

int spa_sim_trace(spa_sim *card, const char *path) {
#ifdef SPA_TRACE
  card->top->trace(&card->trace, 99);
  card->trace.open(path);
  return card->trace.isOpen() ? 0 : 1;
#else
  (void)card;
  (void)path;
  return 1;
#endif
}

}  // extern "C"
