// Simulated card: C interface of libspa_sim.so, the generated accelerator under Verilator.
//
// One call is one clock cycle. Within it, `in` is applied while the clock is low, `out` is sampled when everything has
// settled, then the clock rises. A handshake happens in the cycle in which `in` and `out` show ready and valid.
// All fields have fixed widths whatever the build; lines narrower than 64 bytes use the lowest bytes.

#ifndef SPA_SIM_H
#define SPA_SIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Only these functions are visible, so that one program can load the libraries of several builds.
#define SPA_SIM_API __attribute__((visibility("default")))

// Raised whenever anything in this file changes.
#define SPA_SIM_ABI 1u

typedef struct spa_sim_in {
  // AXI4-Lite, towards the registers
  uint64_t s_awaddr;
  uint64_t s_wdata;
  uint64_t s_araddr;
  // AXI4, memory's answers
  uint8_t m_rdata[64];
  uint8_t m_rvalid;
  uint8_t m_rlast;
  uint8_t m_rresp;
  uint8_t m_arready;
  uint8_t m_awready;
  uint8_t m_wready;
  uint8_t m_bvalid;
  uint8_t m_bresp;
  // AXI4-Lite, one-bit signals and strobes
  uint8_t s_awvalid;
  uint8_t s_wvalid;
  uint8_t s_wstrb;
  uint8_t s_bready;
  uint8_t s_arvalid;
  uint8_t s_rready;
  // Reset, active low
  uint8_t rst_n;
  uint8_t reserved;
} spa_sim_in;

typedef struct spa_sim_out {
  // AXI4-Lite, the registers' answers
  uint64_t s_rdata;
  // AXI4, towards memory
  uint64_t m_awaddr;
  uint64_t m_araddr;
  uint64_t m_wstrb;
  uint8_t m_wdata[64];
  uint8_t m_awvalid;
  uint8_t m_awlen;
  uint8_t m_awsize;
  uint8_t m_awburst;
  uint8_t m_wvalid;
  uint8_t m_wlast;
  uint8_t m_bready;
  uint8_t m_arvalid;
  uint8_t m_arlen;
  uint8_t m_arsize;
  uint8_t m_arburst;
  uint8_t m_rready;
  // AXI4-Lite, one-bit signals
  uint8_t s_awready;
  uint8_t s_wready;
  uint8_t s_bvalid;
  uint8_t s_bresp;
  uint8_t s_arready;
  uint8_t s_rvalid;
  uint8_t s_rresp;
  uint8_t reserved;
} spa_sim_out;

typedef struct spa_sim spa_sim;

// SPA_SIM_ABI of the library.
SPA_SIM_API uint32_t spa_sim_abi(void);

// Bytes of a memory line: 16, 32 or 64.
SPA_SIM_API uint32_t spa_sim_line_bytes(void);

// A card before reset. Everything that reset does not reach starts as 0 for seed 0, else as random bits drawn from
// the seed. NULL if memory is short.
SPA_SIM_API spa_sim *spa_sim_create(uint32_t seed);

// Ends the card. NULL is allowed.
SPA_SIM_API void spa_sim_destroy(spa_sim *card);

// One cycle.
SPA_SIM_API void spa_sim_clock(spa_sim *card, const spa_sim_in *in, spa_sim_out *out);

// Up to `cycles` cycles with the same `in`, whose valid and ready signals must all be 0. Stops before the first cycle
// in which the card asks memory for something; `out` shows that cycle, unclocked. Returns the cycles done.
SPA_SIM_API uint64_t spa_sim_idle(spa_sim *card, const spa_sim_in *in, spa_sim_out *out, uint64_t cycles);

// Starts a trace in FST format, on a library made by `make trace`. Returns 0, or 1 if this library cannot trace.
SPA_SIM_API int spa_sim_trace(spa_sim *card, const char *path);

#ifdef __cplusplus
}
#endif

#endif
