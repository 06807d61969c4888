// spa_s2mem: singleton 2 of the tile (and of its margins) in one bank for each SPU (S2Mem)
//
// The offset table of Figure 3.5 is in spa_label_walk: it is the same in all SPEs.

module spa_s2mem #(
  parameter int Spus          = 2,
  parameter int SingletonBits = 8,
  parameter int S2Capacity    = 8192,
  localparam int S2Bits       = $clog2(S2Capacity / Spus),
  localparam int LogK         = $clog2(Spus)
) (
  input  logic                          clk_i,

  // Load bus: address = {word, bank}
  input  logic                          we_i,
  input  logic [S2Bits+LogK-1:0]        waddr_i,
  input  logic [SingletonBits-1:0]      wdata_i,

  // Read, two cycles, bank 0 in the lowest bits
  input  logic [Spus*S2Bits-1:0]        raddr_i,
  output logic [Spus*SingletonBits-1:0] rdata_o
);

  for (genvar b = 0; b < Spus; b++) begin : g_bank
    logic we;
    if (Spus > 1) begin : g_select
      assign we = we_i && int'(waddr_i[LogK-1:0]) == b;
    end else begin : g_all
      assign we = we_i;
    end

    spa_ram_1r1w #(.Width(SingletonBits), .Depth(S2Capacity / Spus)) u_ram (
      .clk_i,
      .we_i   (we), .waddr_i(waddr_i[LogK +: S2Bits]), .wdata_i,
      .raddr_i(raddr_i[b*S2Bits +: S2Bits]), .rdata_o(rdata_o[b*SingletonBits +: SingletonBits])
    );
  end

endmodule
