// Every memory with one write and one read port becomes a black box; those of at most 256 bits, for which nobody makes a
// macro, are left to become flip-flops.
(* techmap_celltype = "$mem_v2" *)
module spa_memory_map (
  RD_CLK, RD_EN, RD_ARST, RD_SRST, RD_ADDR, RD_DATA, WR_CLK, WR_EN, WR_ADDR, WR_DATA
);

  parameter        MEMID = "";
  parameter signed SIZE = 4;
  parameter signed OFFSET = 0;
  parameter signed ABITS = 2;
  parameter signed WIDTH = 8;
  parameter signed INIT = 1'bx;
  parameter signed RD_PORTS = 1;
  parameter        RD_CLK_ENABLE = 1'b1;
  parameter        RD_CLK_POLARITY = 1'b1;
  parameter        RD_TRANSPARENCY_MASK = 1'b0;
  parameter        RD_COLLISION_X_MASK = 1'b0;
  parameter        RD_WIDE_CONTINUATION = 1'b0;
  parameter        RD_CE_OVER_SRST = 1'b0;
  parameter        RD_ARST_VALUE = 1'b0;
  parameter        RD_SRST_VALUE = 1'b0;
  parameter        RD_INIT_VALUE = 1'b0;
  parameter signed WR_PORTS = 1;
  parameter        WR_CLK_ENABLE = 1'b1;
  parameter        WR_CLK_POLARITY = 1'b1;
  parameter        WR_PRIORITY_MASK = 1'b0;
  parameter        WR_WIDE_CONTINUATION = 1'b0;

  input  [RD_PORTS-1:0]       RD_CLK, RD_EN, RD_ARST, RD_SRST;
  input  [RD_PORTS*ABITS-1:0] RD_ADDR;
  output [RD_PORTS*WIDTH-1:0] RD_DATA;
  input  [WR_PORTS-1:0]       WR_CLK;
  input  [WR_PORTS*WIDTH-1:0] WR_EN;
  input  [WR_PORTS*ABITS-1:0] WR_ADDR;
  input  [WR_PORTS*WIDTH-1:0] WR_DATA;

  wire _TECHMAP_FAIL_ = SIZE * WIDTH <= 256 || RD_PORTS != 1 || WR_PORTS != 1;

  // Bits of a word may be written one by one. Where all are written together the mask is one signal.
  spa_memory #(
    .Depth(SIZE), .Width(WIDTH), .AddrBits(ABITS), .Clocked(RD_CLK_ENABLE)
  ) _TECHMAP_REPLACE_ (
    .clk_i(WR_CLK), .we_i(|WR_EN), .mask_i(WR_EN), .waddr_i(WR_ADDR), .wdata_i(WR_DATA),
    .re_i(RD_EN), .raddr_i(RD_ADDR), .rdata_o(RD_DATA)
  );

endmodule
