// spa_select: first label whose prefix sum of weights exceeds r (SPU)

module spa_select #(
  parameter int LabelBits = 6,
  parameter int PBits     = 8,
  localparam int SumBits  = LabelBits + PBits
) (
  input  logic                 clk_i,

  // r of the slot
  input  logic                 r_load_i,
  input  logic [SumBits-1:0]   r_i,

  // Pass 3: weights again; `cnt_first_i` comes one cycle after `rem_first_i`
  input  logic                 rem_first_i,
  input  logic                 cnt_first_i,
  input  logic [PBits-1:0]     w_i,

  // The label, held for the write-back
  input  logic                 sel_hold_i,
  output logic [LabelBits-1:0] label_o
);

  // r minus the prefix sum turns negative at the label that is sought: count the labels before it.
  logic [SumBits-1:0]   r_q;
  logic [SumBits:0]     rem_q;
  logic [LabelBits-1:0] cnt_q;

  always_ff @(posedge clk_i) begin
    if (r_load_i) r_q <= r_i;
    rem_q <= (rem_first_i ? {1'b0, r_q} : rem_q) - (SumBits + 1)'(w_i);
    cnt_q <= (cnt_first_i ? LabelBits'(0) : cnt_q) + LabelBits'(!rem_q[SumBits]);
    if (sel_hold_i) label_o <= cnt_q;
  end

endmodule
