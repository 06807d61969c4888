// spa_edge_term: w * V of one neighbour, shifts and adds in one cycle: no multiplier (SPU, edge weights)

module spa_edge_term (
  input  logic        clk_i,

  input  logic [3:0]  weight_i,
  input  logic [7:0]  v_i,

  output logic [11:0] wv_o
);

  logic [9:0] low, high;
  assign low  = (weight_i[0] ? {2'b00, v_i} : '0) + (weight_i[1] ? {1'b0, v_i, 1'b0} : '0);
  assign high = (weight_i[2] ? {2'b00, v_i} : '0) + (weight_i[3] ? {1'b0, v_i, 1'b0} : '0);

  always_ff @(posedge clk_i) wv_o <= {2'b00, low} + {high, 2'b00};

endmodule
