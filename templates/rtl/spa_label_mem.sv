// spa_label_mem: current labels in four banks, black and white halves, and copies of the border labels of the four
// neighbour tiles (BMem, WMem)

module spa_label_mem #(
  parameter int LabelBits     = 6,
  parameter int RvCapacity    = 8192,
  parameter int TileWidthMax  = 128,
  parameter int TileHeightMax = 128,
  localparam int XBits        = $clog2(TileWidthMax),
  localparam int YBits        = $clog2(TileHeightMax),
  localparam int BankBits     = $clog2(RvCapacity / 4)
) (
  input  logic                   clk_i,

  // Write of a RV, bank one-hot
  input  logic [3:0]             we_i,
  input  logic [BankBits-1:0]    waddr_i,
  input  logic [LabelBits-1:0]   wdata_i,

  // Write of a copy. All SPEs write the same local RV, so only one horizontal and one vertical neighbour send at a time.
  input  logic                   halo_h_we_i,
  input  logic [YBits:0]         halo_h_waddr_i,   // {from the right, y}
  input  logic [LabelBits-1:0]   halo_h_wdata_i,
  input  logic                   halo_v_we_i,
  input  logic [XBits:0]         halo_v_waddr_i,   // {from below, x}
  input  logic [LabelBits-1:0]   halo_v_wdata_i,

  // Read, two cycles. A RV needs at most one horizontal and one vertical copy.
  input  logic [4*BankBits-1:0]  raddr_i,
  output logic [4*LabelBits-1:0] rdata_o,
  input  logic [YBits:0]         halo_h_raddr_i,
  output logic [LabelBits-1:0]   halo_h_rdata_o,
  input  logic [XBits:0]         halo_v_raddr_i,
  output logic [LabelBits-1:0]   halo_v_rdata_o
);

  for (genvar b = 0; b < 4; b++) begin : g_bank
    spa_ram_1r1w #(.Width(LabelBits), .Depth(RvCapacity / 4)) u_ram (
      .clk_i,
      .we_i   (we_i[b]), .waddr_i, .wdata_i,
      .raddr_i(raddr_i[b*BankBits +: BankBits]), .rdata_o(rdata_o[b*LabelBits +: LabelBits])
    );
  end

  spa_ram_1r1w #(.Width(LabelBits), .Depth(2 * 2 ** YBits)) u_halo_h (
    .clk_i,
    .we_i   (halo_h_we_i), .waddr_i(halo_h_waddr_i), .wdata_i(halo_h_wdata_i),
    .raddr_i(halo_h_raddr_i), .rdata_o(halo_h_rdata_o)
  );
  spa_ram_1r1w #(.Width(LabelBits), .Depth(2 * 2 ** XBits)) u_halo_v (
    .clk_i,
    .we_i   (halo_v_we_i), .waddr_i(halo_v_waddr_i), .wdata_i(halo_v_wdata_i),
    .raddr_i(halo_v_raddr_i), .rdata_o(halo_v_rdata_o)
  );

endmodule
