// spa_order_check: what goes in comes out, once, unchanged and in order.
//
// One word is chosen freely when it goes in; `ahead_o` counts the words before it. The solver tries every choice, so
// what holds of the chosen word holds of each. A word that came out without having gone in makes `count_o` negative.

module spa_order_check #(
  parameter int Width = 4,
  parameter int Bits  = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             may_choose_i,  // a word that goes in now may be the chosen one

  input  logic             push_i,
  input  logic [Width-1:0] push_data_i,
  input  logic             pop_i,
  input  logic [Width-1:0] pop_data_i,

  output logic [Bits-1:0]  count_o,   // words inside
  output logic             chosen_o,  // the chosen word is inside
  output logic [Bits-1:0]  ahead_o,   // words that leave before it
  output logic [Width-1:0] data_o     // its content
);

  (* anyseq *) logic choose;
  logic              take;

  assign take = push_i && choose && may_choose_i && !chosen_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_o  <= '0;
      chosen_o <= 1'b0;
    end else begin
      count_o <= count_o + Bits'(push_i) - Bits'(pop_i);
      if (take) chosen_o <= 1'b1;
      else if (pop_i && ahead_o == '0) chosen_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      ahead_o <= count_o - Bits'(pop_i);
      data_o  <= push_data_i;
    end else if (pop_i) begin
      ahead_o <= ahead_o - 1'b1;
    end
  end

  always_comb begin
    if (rst_ni) begin
      if (pop_i) assert (count_o != '0);
      if (chosen_o) assert (ahead_o < count_o);
      if (chosen_o && pop_i && ahead_o == '0) assert (pop_data_i == data_o);
    end
  end

endmodule
