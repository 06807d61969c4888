// spa_edge_mem: weights of the four edges of each RV (edge weights)
//
// Every edge stands at both of its ends, so that no SPE asks a neighbour. Read like S1Mem, but three cycles later: weights
// are needed with the capped V, not with the samples.

module spa_edge_mem #(
  parameter int Spus       = 2,
  parameter int RvCapacity = 8192,
  localparam int RvBits    = $clog2(RvCapacity)
) (
  input  logic              clk_i,

  // Load bus
  input  logic              we_i,
  input  logic [RvBits-1:0] waddr_i,
  input  logic [15:0]       wdata_i,

  // Controls of S1Mem
  input  logic [RvBits-1:0] s1_raddr_i,
  input  logic [Spus-1:0]   s1_load_i,
  input  logic              s1_xfer_i,

  output logic [15:0]       weights_o,   // {down, up, right, left}
  output logic [Spus-1:0]   load_o,
  output logic              xfer_o
);

  localparam int Late = 3;

  logic [RvBits-1:0] raddr;

  spa_delay #(.Width(RvBits + Spus + 1), .Stages(Late)) u_late (
    .clk_i, .data_i({s1_raddr_i, s1_load_i, s1_xfer_i}), .data_o({raddr, load_o, xfer_o})
  );

  spa_ram_1r1w #(.Width(16), .Depth(RvCapacity)) u_ram (
    .clk_i,
    .we_i, .waddr_i, .wdata_i,
    .raddr_i(raddr), .rdata_o(weights_o)
  );

endmodule
