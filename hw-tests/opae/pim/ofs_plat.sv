// Stand-ins for what our wrapper uses of the Platform Interface Manager: names, fields and directions of its documentation,
// and modules without content. On a real platform its own sources take this place.

package ofs_plat_log_pkg;
  typedef enum int {NONE, HOST_CHAN} t_log_class;
endpackage

typedef struct packed {
  logic clk;
  logic reset_n;
} t_stub_clock;

typedef struct packed {
  t_stub_clock pClk;
  t_stub_clock uClk_usr;
} t_stub_clocks;

// The platform has an interface for each port; Verilator does not take arrays of interfaces within interfaces.
interface stub_host_chan;
  logic ports [1];
endinterface

interface ofs_plat_if;
  t_stub_clocks  clocks;
  stub_host_chan host_chan ();
endinterface

interface ofs_plat_axi_mem_if #(
  parameter ofs_plat_log_pkg::t_log_class LOG_CLASS = ofs_plat_log_pkg::NONE,
  parameter int ADDR_WIDTH      = 0,
  parameter int DATA_WIDTH      = 0,
  parameter int BURST_CNT_WIDTH = 8,
  parameter int RID_WIDTH       = 8,
  parameter int WID_WIDTH       = 8,
  parameter int USER_WIDTH      = 8
);
  typedef struct packed {
    logic [WID_WIDTH-1:0]       id;
    logic [ADDR_WIDTH-1:0]      addr;
    logic [BURST_CNT_WIDTH-1:0] len;
    logic [2:0]                 size;
    logic [1:0]                 burst;
    logic [USER_WIDTH-1:0]      user;
  } t_aw;
  typedef struct packed {
    logic [DATA_WIDTH-1:0]   data;
    logic [DATA_WIDTH/8-1:0] strb;
    logic                    last;
    logic [USER_WIDTH-1:0]   user;
  } t_w;
  typedef struct packed {
    logic [WID_WIDTH-1:0]  id;
    logic [1:0]            resp;
    logic [USER_WIDTH-1:0] user;
  } t_b;
  typedef struct packed {
    logic [RID_WIDTH-1:0]  id;
    logic [DATA_WIDTH-1:0] data;
    logic [1:0]            resp;
    logic [USER_WIDTH-1:0] user;
    logic                  last;
  } t_r;

  logic clk;
  logic reset_n;
  t_aw  aw;
  t_aw  ar;
  t_w   w;
  t_b   b;
  t_r   r;
  logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;

  modport to_source_clk (
    output clk, output reset_n, input aw, input awvalid, output awready, input w, input wvalid, output wready, output b,
    output bvalid, input bready, input ar, input arvalid, output arready, output r, output rvalid, input rready
  );
endinterface

interface ofs_plat_axi_mem_lite_if #(
  parameter ofs_plat_log_pkg::t_log_class LOG_CLASS = ofs_plat_log_pkg::NONE,
  parameter int ADDR_WIDTH = 0,
  parameter int DATA_WIDTH = 0,
  parameter int RID_WIDTH  = 1,
  parameter int WID_WIDTH  = 1,
  parameter int USER_WIDTH = 1
);
  typedef struct packed {
    logic [WID_WIDTH-1:0]  id;
    logic [ADDR_WIDTH-1:0] addr;
    logic [2:0]            size;
    logic [2:0]            prot;
    logic [USER_WIDTH-1:0] user;
  } t_aw;
  typedef struct packed {
    logic [RID_WIDTH-1:0]  id;
    logic [ADDR_WIDTH-1:0] addr;
    logic [2:0]            size;
    logic [2:0]            prot;
    logic [USER_WIDTH-1:0] user;
  } t_ar;
  typedef struct packed {
    logic [DATA_WIDTH-1:0]   data;
    logic [DATA_WIDTH/8-1:0] strb;
    logic [USER_WIDTH-1:0]   user;
  } t_w;
  typedef struct packed {
    logic [WID_WIDTH-1:0]  id;
    logic [1:0]            resp;
    logic [USER_WIDTH-1:0] user;
  } t_b;
  typedef struct packed {
    logic [RID_WIDTH-1:0]  id;
    logic [DATA_WIDTH-1:0] data;
    logic [1:0]            resp;
    logic [USER_WIDTH-1:0] user;
  } t_r;

  logic clk;
  logic reset_n;
  t_aw  aw;
  t_ar  ar;
  t_w   w;
  t_b   b;
  t_r   r;
  logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;

  modport to_sink_clk (
    output clk, output reset_n, output aw, output awvalid, input awready, output w, output wvalid, input wready, input b,
    input bvalid, output bready, output ar, output arvalid, input arready, input r, input rvalid, output rready
  );
endinterface

/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNDRIVEN */
module ofs_plat_host_chan_as_axi_mem_with_mmio #(
  parameter int ADD_CLOCK_CROSSING    = 0,
  parameter int ADD_TIMING_REG_STAGES = 0
) (
  input logic                           to_fiu,
  ofs_plat_axi_mem_if.to_source_clk     host_mem_to_afu,
  ofs_plat_axi_mem_lite_if.to_sink_clk  mmio_to_afu,
  input logic                           afu_clk,
  input logic                           afu_reset_n
);
  assign host_mem_to_afu.clk     = afu_clk;
  assign host_mem_to_afu.reset_n = afu_reset_n;
  assign mmio_to_afu.clk         = afu_clk;
  assign mmio_to_afu.reset_n     = afu_reset_n;
endmodule

module ofs_plat_if_tie_off_unused #(
  parameter int HOST_CHAN_IN_USE_MASK = 0
) (
  ofs_plat_if plat_ifc
);
endmodule
