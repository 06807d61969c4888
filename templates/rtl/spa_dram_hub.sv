// spa_dram_hub: merges up to four message streams into one, round robin, one message a cycle.
//
// A buffer of two entries makes `ready` depend on registers and the inputs' `valid` only: no ready chain runs through
// the tree.

module spa_dram_hub #(
  parameter int Inputs      = 4,
  parameter int MessageBits = 32
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic [Inputs-1:0]             msg_valid_i,
  input  logic [Inputs*MessageBits-1:0] msg_data_i,
  output logic [Inputs-1:0]             msg_ready_o,

  output logic                          msg_valid_o,
  output logic [MessageBits-1:0]        msg_data_o,
  input  logic                          msg_ready_i
);

  // Round robin: inputs after the last winner come first.
  logic [Inputs-1:0] after_q;
  logic [Inputs-1:0] preferred;
  logic [Inputs-1:0] candidates;
  logic [Inputs-1:0] grant;

  assign preferred  = msg_valid_i & after_q;
  assign candidates = (preferred != '0) ? preferred : msg_valid_i;
  assign grant      = candidates & (~candidates + 1'b1);

  logic [MessageBits-1:0] winner;

  always_comb begin
    winner = '0;
    for (int i = 0; i < Inputs; i++) begin
      winner = winner | (msg_data_i[i*MessageBits +: MessageBits] & {MessageBits{grant[i]}});
    end
  end

  // Buffer of two: `head_q` is the output.
  logic                   head_valid_q;
  logic                   tail_valid_q;
  logic [MessageBits-1:0] head_q;
  logic [MessageBits-1:0] tail_q;
  logic                   push;
  logic                   pop;

  assign push        = (msg_valid_i != '0) && !tail_valid_q;
  assign pop         = head_valid_q && msg_ready_i;
  assign msg_ready_o = tail_valid_q ? '0 : grant;
  assign msg_valid_o = head_valid_q;
  assign msg_data_o  = head_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_valid_q <= 1'b0;
      tail_valid_q <= 1'b0;
      after_q      <= '0;
    end else begin
      head_valid_q <= push || tail_valid_q || (head_valid_q && !pop);
      tail_valid_q <= (push || tail_valid_q) && head_valid_q && !pop;
      if (push) after_q <= ~(grant | (grant - 1'b1));
    end
  end

  always_ff @(posedge clk_i) begin
    if (pop || !head_valid_q) head_q <= tail_valid_q ? tail_q : winner;
    if (!tail_valid_q) tail_q <= winner;
  end

endmodule
