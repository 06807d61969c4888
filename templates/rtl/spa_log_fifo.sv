// spa_log_fifo: messages of one SPE on their way to a DRAM hub (log FIFO)
//
// A message leaves every third cycle at most (the two registers of the RAM); a leaf hub takes one every fourth from
// each of its SPEs.

module spa_log_fifo #(
  parameter int Width     = 27,
  parameter int Depth     = 64,      // power of two
  localparam int AddrBits = $clog2(Depth),
  localparam int FillBits = $clog2(Depth + 1)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // Never refused: the scheduler leaves room for all slots in flight
  input  logic                push_i,
  input  logic [Width-1:0]    data_i,
  output logic [FillBits-1:0] fill_o,

  output logic                valid_o,
  output logic [Width-1:0]    data_o,
  input  logic                ready_i
);

  logic [AddrBits-1:0] waddr_q, raddr_q;
  logic                read_q, pop, waiting;

  spa_ram_1r1w #(.Width(Width), .Depth(Depth)) u_ram (
    .clk_i,
    .we_i   (push_i), .waddr_i(waddr_q), .wdata_i(data_i),
    .raddr_i(raddr_q), .rdata_o(data_o)
  );

  assign pop     = valid_o && ready_i;
  assign waiting = fill_o != '0 && !pop;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waddr_q <= '0;
      raddr_q <= '0;
      fill_o  <= '0;
      read_q  <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (push_i) waddr_q <= waddr_q + 1'b1;
      if (pop)    raddr_q <= raddr_q + 1'b1;
      if (push_i && !pop)      fill_o <= fill_o + 1'b1;
      else if (!push_i && pop) fill_o <= fill_o - 1'b1;
      // The head has been read when the address has stood for two cycles.
      read_q  <= waiting;
      valid_o <= waiting && read_q;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && push_i && int'(fill_o) == Depth) begin
      $display("spa_log_fifo: overflow");
      $stop;
    end
  end
`endif

endmodule
