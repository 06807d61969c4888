// spa_s1mem: singleton 1 and the evidence bit of each RV (S1Mem)

module spa_s1mem #(
  parameter int SingletonBits = 8,
  parameter int RvCapacity    = 8192,
  localparam int RvBits       = $clog2(RvCapacity)
) (
  input  logic                     clk_i,

  // Load bus
  input  logic                     we_i,
  input  logic [RvBits-1:0]        waddr_i,
  input  logic                     wfixed_i,
  input  logic [SingletonBits-1:0] ws1_i,

  // Read, two cycles
  input  logic [RvBits-1:0]        raddr_i,
  output logic                     fixed_o,
  output logic [SingletonBits-1:0] s1_o
);

  spa_ram_1r1w #(.Width(SingletonBits + 1), .Depth(RvCapacity)) u_ram (
    .clk_i,
    .we_i, .waddr_i, .wdata_i({wfixed_i, ws1_i}),
    .raddr_i, .rdata_o({fixed_o, s1_o})
  );

endmodule
