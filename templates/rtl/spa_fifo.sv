// spa_fifo: synchronous FIFO in a small memory with an output register.
//
// The writer must keep credits or watch `almost_full_o`: a write into a full FIFO is lost. `almost_full_o` is a register
// that lags the level by one cycle, so at least Depth - AlmostFull - 1 more words find room once it is high.

module spa_fifo #(
  parameter int Width      = 32,
  parameter int Depth      = 16,  // power of two
  parameter int AlmostFull = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             wr_valid_i,
  input  logic [Width-1:0] wr_data_i,
  output logic             almost_full_o,

  output logic             rd_valid_o,
  output logic [Width-1:0] rd_data_o,
  input  logic             rd_ready_i
);

  localparam int PointerBits = $clog2(Depth);

  // A word is never read in the cycle in which it is written: no bypass is needed.
  (* no_rw_check, ramstyle = "no_rw_check" *)
  logic [Width-1:0]       mem [0:Depth-1];
  logic [PointerBits-1:0] wr_pointer_q;
  logic [PointerBits-1:0] rd_pointer_q;
  logic [PointerBits:0]   level_q;
  logic                   almost_full_q;
  logic                   out_valid_q;
  logic [Width-1:0]       out_data_q;
  logic                   fetch;

  assign fetch         = (level_q != '0) && (!out_valid_q || rd_ready_i);
  assign almost_full_o = almost_full_q;
  assign rd_valid_o    = out_valid_q;
  assign rd_data_o     = out_data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wr_pointer_q  <= '0;
      rd_pointer_q  <= '0;
      level_q       <= '0;
      almost_full_q <= 1'b0;
      out_valid_q   <= 1'b0;
    end else begin
      if (wr_valid_i) wr_pointer_q <= wr_pointer_q + 1'b1;
      if (fetch) rd_pointer_q <= rd_pointer_q + 1'b1;
      if (wr_valid_i && !fetch) level_q <= level_q + 1'b1;
      else if (!wr_valid_i && fetch) level_q <= level_q - 1'b1;
      almost_full_q <= level_q >= (PointerBits + 1)'(AlmostFull);
      if (fetch) out_valid_q <= 1'b1;
      else if (rd_ready_i) out_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (wr_valid_i) mem[wr_pointer_q] <= wr_data_i;
    if (fetch) out_data_q <= mem[rd_pointer_q];
  end

endmodule
