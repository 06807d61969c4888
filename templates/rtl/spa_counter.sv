// spa_counter: 48-bit event counter whose carry is pipelined, so that no addition is longer than 24 bits.
//
// The value lags by two cycles; both halves of it belong together in every cycle.

module spa_counter #(
  parameter int StepBits = 1
) (
  input  logic                clk_i,

  input  logic                clear_i,  // at reset, too
  input  logic [StepBits-1:0] step_i,
  output logic [47:0]         value_o
);

  localparam int HalfBits = 24;

  logic [HalfBits:0]   low_d;
  logic [HalfBits-1:0] low_q;
  logic [HalfBits-1:0] low_aligned_q;
  logic                carry_q;
  logic [HalfBits-1:0] high_q;

  assign low_d   = {1'b0, low_q} + (HalfBits + 1)'(step_i);
  assign value_o = {high_q, low_aligned_q};

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      low_q         <= '0;
      low_aligned_q <= '0;
      carry_q       <= 1'b0;
      high_q        <= '0;
    end else begin
      low_q         <= low_d[HalfBits-1:0];
      carry_q       <= low_d[HalfBits];
      low_aligned_q <= low_q;
      if (carry_q) high_q <= high_q + 1'b1;
    end
  end

endmodule
