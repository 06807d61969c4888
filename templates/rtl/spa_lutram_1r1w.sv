// spa_lutram_1r1w: small RAM in LUTs, one write port and one asynchronous read port

module spa_lutram_1r1w #(
  parameter  int Width = 8,
  parameter  int Depth = 32,
  localparam int AddrW = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic             clk_i,

  input  logic             we_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,

  // Users put a register behind the read data
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o
);

  (* no_rw_check, ram_style = "distributed", ramstyle = "MLAB, no_rw_check" *)
  logic [Width-1:0] mem [0:Depth-1];

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
  end

  assign rdata_o = mem[raddr_i];

endmodule
