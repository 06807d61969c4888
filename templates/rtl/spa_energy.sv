// spa_energy: E of one label a cycle (SPU, Eq. 3.1)
//
// Neighbours and own label vectors come in cycle 0, singleton 2 in cycle 2, edge weights in cycle 5, `outside_i` and
// `cost_i` in cycle 6; the energy leaves in cycle 12.

module spa_energy #(
  parameter int LabelBits      = 6,
  parameter int SingletonBits  = 8,
  parameter int EnergyBits     = 8,
  parameter bit PairTable      = 1'b0,
  parameter bit SingletonTable = 1'b0,
  parameter bit EdgeWeights    = 1'b0,
  localparam int VxBits        = LabelBits,
  localparam int VyBits        = (LabelBits + 1) / 2,
  localparam int VecBits       = VxBits + VyBits
) (
  input  logic                     clk_i,

  // Configuration
  input  logic [7:0]               cfg_alpha_i,
  input  logic [7:0]               cfg_beta_i,
  input  logic [3:0]               cfg_shift_i,
  input  logic [24:0]              cfg_overflow_i,   // bits of the sum that no shifted energy has room for
  input  logic [15:0]              cfg_data_cap_i,
  input  logic [15:0]              cfg_s_outside_i,
  input  logic                     cfg_squared_i,
  input  logic                     cfg_cost_i,
  input  logic [1:0]               cfg_pair_form_i,
  input  logic [7:0]               cfg_pair_cap_i,

  // RV
  input  logic [3:0]               nb_valid_i,
  input  logic [4*VecBits-1:0]     nb_vector_i,
  input  logic [SingletonBits-1:0] s1_i,
  input  logic [15:0]              edge_weights_i,   // of the four neighbours

  // Label
  input  logic [VxBits-1:0]        own_vx_i,
  input  logic [VyBits-1:0]        own_vy_i,
  input  logic [31:0]              pair_table_i,     // V of the four neighbours, cycle 2
  input  logic [SingletonBits-1:0] s2_i,
  input  logic                     outside_i,
  input  logic [15:0]              cost_i,

  output logic [EnergyBits-1:0]    e_o
);

  // ---------------------------------------------------------------- singleton: cycles 2 to 9
  logic [SingletonBits:0]        diff_q;
  logic [7:0]                    d_q;

  always_ff @(posedge clk_i) begin
    diff_q <= {1'b0, s1_i} - {1'b0, s2_i};
    d_q    <= diff_q[SingletonBits] ? 8'(SingletonBits'(-diff_q)) : 8'(SingletonBits'(diff_q));
  end

  // d = 16h + l: d*d = {h*h, l*l} + 32*h*l, and 2*h*l = (h+l)^2 - (h*h + l*l): small tables and adders, no multiplier
  logic [7:0]  square_h, square_l;
  logic [9:0]  square_hl;
  logic [15:0] base_q, f_q;
  logic [4:0]  hl_q;
  logic [8:0]  squares_q;

  spa_square #(.Bits(4)) u_square_h  (.value_i(d_q[7:4]), .square_o(square_h));
  spa_square #(.Bits(4)) u_square_l  (.value_i(d_q[3:0]), .square_o(square_l));
  spa_square #(.Bits(5)) u_square_hl (.value_i(hl_q), .square_o(square_hl));

  always_ff @(posedge clk_i) begin
    base_q    <= cfg_squared_i ? {square_h, square_l} : {8'd0, d_q};
    hl_q      <= cfg_squared_i ? {1'b0, d_q[7:4]} + {1'b0, d_q[3:0]} : '0;
    squares_q <= cfg_squared_i ? {1'b0, square_h} + {1'b0, square_l} : '0;
    f_q       <= base_q + {2'b00, square_hl - {1'b0, squares_q}, 4'b0000};
  end

  logic [15:0] f, s_q;
  if (SingletonTable) begin : g_cost
    assign f = cfg_cost_i ? cost_i : f_q;
  end else begin : g_no_cost
    logic unused_cost;
    assign unused_cost = ^{cost_i, cfg_cost_i};
    assign f           = f_q;
  end

  // Multipliers stand where the device has them: a register before each takes the way there.
  logic [15:0] s_qq;
  logic [23:0] alpha_s_q;
  always_ff @(posedge clk_i) begin
    if (outside_i)               s_q <= cfg_s_outside_i;
    else if (f > cfg_data_cap_i) s_q <= cfg_data_cap_i;
    else                         s_q <= f;
    s_qq      <= s_q;
    alpha_s_q <= s_qq * cfg_alpha_i;
  end

  // ---------------------------------------------------------------- pairs: cycles 0 to 9
  logic [31:0] v;
  for (genvar n = 0; n < 4; n++) begin : g_pair
    spa_pair_term #(.LabelBits(LabelBits), .PairTable(PairTable)) u_pair_term (
      .clk_i,
      .cfg_form_i(cfg_pair_form_i), .cfg_cap_i(cfg_pair_cap_i),
      .own_vx_i, .own_vy_i,
      .valid_i(nb_valid_i[n]),
      .vx_i   (nb_vector_i[n*VecBits +: VxBits]), .vy_i(nb_vector_i[n*VecBits + VxBits +: VyBits]),
      .table_i(pair_table_i[8*n +: 8]),
      .v_o    (v[8*n +: 8])
    );
  end

  logic [21:0] beta_v;
  if (EdgeWeights) begin : g_edges
    // w * V takes the place of the register before beta * sum
    logic [47:0] wv_q;
    for (genvar n = 0; n < 4; n++) begin : g_edge
      spa_edge_term u_edge_term (
        .clk_i, .weight_i(edge_weights_i[4*n +: 4]), .v_i(v[8*n +: 8]), .wv_o(wv_q[12*n +: 12])
      );
    end

    logic [12:0] v_lr_q, v_ud_q;
    logic [13:0] v_sum_q;
    logic [21:0] beta_v_q;
    always_ff @(posedge clk_i) begin
      v_lr_q   <= {1'b0, wv_q[11:0]} + {1'b0, wv_q[23:12]};
      v_ud_q   <= {1'b0, wv_q[35:24]} + {1'b0, wv_q[47:36]};
      v_sum_q  <= {1'b0, v_lr_q} + {1'b0, v_ud_q};
      beta_v_q <= v_sum_q * cfg_beta_i;
    end
    assign beta_v = beta_v_q;
  end else begin : g_no_edges
    logic unused_edges;
    assign unused_edges = ^edge_weights_i;

    logic [8:0]  v_lr_q, v_ud_q;
    logic [9:0]  v_sum_q, v_sum_qq;
    logic [17:0] beta_v_q;
    always_ff @(posedge clk_i) begin
      v_lr_q   <= {1'b0, v[7:0]} + {1'b0, v[15:8]};
      v_ud_q   <= {1'b0, v[23:16]} + {1'b0, v[31:24]};
      v_sum_q  <= {1'b0, v_lr_q} + {1'b0, v_ud_q};
      v_sum_qq <= v_sum_q;
      beta_v_q <= v_sum_qq * cfg_beta_i;
    end
    assign beta_v = {4'd0, beta_v_q};
  end

  // ---------------------------------------------------------------- sum, shift, saturation: cycles 10 to 12
  logic [24:0]           sum_q;
  logic [EnergyBits+2:0] coarse_q;
  logic                  overflow_q;

  always_ff @(posedge clk_i) begin
    sum_q      <= {1'b0, alpha_s_q} + {3'd0, beta_v};
    coarse_q   <= (EnergyBits + 3)'(sum_q >> {cfg_shift_i[3:2], 2'b00});
    overflow_q <= (sum_q & cfg_overflow_i) != '0;
    e_o        <= overflow_q ? '1 : EnergyBits'(coarse_q >> cfg_shift_i[1:0]);
  end

endmodule
