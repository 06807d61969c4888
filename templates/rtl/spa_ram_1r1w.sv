// spa_ram_1r1w: block RAM, one write and one read port, read register and output register

module spa_ram_1r1w #(
  parameter  int Width = 8,
  parameter  int Depth = 64,
  localparam int AddrW = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic             clk_i,

  input  logic             we_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,

  // Data of an address is valid two cycles later
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o
);

  // No user reads a word in the cycle in which it is written: no bypass is needed.
  (* no_rw_check, ramstyle = "no_rw_check" *)
  logic [Width-1:0] mem [0:Depth-1];
  logic [Width-1:0] read_q;

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    read_q  <= mem[raddr_i];
    rdata_o <= read_q;
  end

endmodule
