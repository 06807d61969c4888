// spa_spu: stochastic processing unit: energy, minimum, weights, sampling of one RV a slot (SPU)
//
// The buffers between the passes are in spa_spe: all SPUs of a SPE use the same addresses in the same cycle.

module spa_spu #(
  parameter int LabelBits       = 6,
  parameter int SingletonBits   = 8,
  parameter int EnergyBits      = 8,
  parameter int PBits           = 8,
  parameter int ScheduleEntries = 64,
  parameter bit Linear          = 1'b0,
  parameter bit PairTable       = 1'b0,
  parameter bit SingletonTable  = 1'b0,
  parameter bit EdgeWeights     = 1'b0,
  localparam int VxBits         = LabelBits,
  localparam int VyBits         = (LabelBits + 1) / 2,
  localparam int VecBits        = VxBits + VyBits,
  localparam int ThrBits        = EnergyBits + 1,
  localparam int EntryBits      = $clog2(ScheduleEntries),
  localparam int TableBits      = EntryBits + EnergyBits,
  localparam int SumBits        = LabelBits + PBits
) (
  input  logic                     clk_i,

  // Configuration
  input  logic [7:0]               cfg_alpha_i,
  input  logic [7:0]               cfg_beta_i,
  input  logic [3:0]               cfg_shift_i,
  input  logic [24:0]              cfg_overflow_i,
  input  logic [15:0]              cfg_data_cap_i,
  input  logic [15:0]              cfg_s_outside_i,
  input  logic                     cfg_squared_i,
  input  logic                     cfg_cost_i,
  input  logic [1:0]               cfg_pair_form_i,
  input  logic [7:0]               cfg_pair_cap_i,

  // Load bus: weight table (Linear), pair table (PairTable)
  input  logic                     table_we_i,
  input  logic [TableBits-1:0]     table_waddr_i,
  input  logic [PBits-1:0]         table_wdata_i,
  input  logic                     pair_we_i,
  input  logic [2*LabelBits-1:0]   pair_waddr_i,
  input  logic [7:0]               pair_wdata_i,

  // RV: loaded one SPU a cycle, taken over by all SPUs together
  input  logic                     nb_load_i,
  input  logic                     nb_xfer_i,
  input  logic [3:0]               nb_valid_i,
  input  logic [4*VecBits-1:0]     nb_vector_i,
  input  logic [4*LabelBits-1:0]   nb_label_i,
  input  logic                     s1_load_i,
  input  logic                     s1_xfer_i,
  input  logic                     keep_i,
  input  logic [SingletonBits-1:0] s1_i,
  output logic                     keep_o,       // before the take-over
  input  logic                     edge_load_i,
  input  logic                     edge_xfer_i,
  input  logic [15:0]              edge_weights_i,

  // Label walk
  input  logic [LabelBits-1:0]     own_label_i,
  input  logic [VxBits-1:0]        own_vx_i,
  input  logic [VyBits-1:0]        own_vy_i,
  input  logic [SingletonBits-1:0] s2_i,
  input  logic                     outside_i,
  input  logic [15:0]              cost_i,

  // Pass 1 and 2
  input  logic                     e_first_i,
  input  logic                     min_hold_i,
  output logic [EnergyBits-1:0]    e_o,
  input  logic [EnergyBits-1:0]    e_again_i,
  input  logic [PBits*ThrBits-1:0] thr_i,
  input  logic [EntryBits-1:0]     entry_i,
  input  logic                     w_first_i,
  output logic [PBits-1:0]         w_o,

  // Draw and pass 3
  input  logic                     sum_hold_i,
  output logic [SumBits-1:0]       sum_o,
  input  logic                     r_load_i,
  input  logic [SumBits-1:0]       r_i,
  input  logic                     rem_first_i,
  input  logic                     cnt_first_i,
  input  logic [PBits-1:0]         w_again_i,
  input  logic                     sel_hold_i,
  output logic [LabelBits-1:0]     label_o
);

  // ---------------------------------------------------------------- RV of the slot
  logic [3:0]               nb_valid_next_q, nb_valid_q;
  logic [4*VecBits-1:0]     nb_vector_next_q, nb_vector_q;
  logic [SingletonBits-1:0] s1_next_q, s1_q;
  logic                     keep_next_q;

  always_ff @(posedge clk_i) begin
    if (nb_load_i) begin
      nb_valid_next_q  <= nb_valid_i;
      nb_vector_next_q <= nb_vector_i;
    end
    if (nb_xfer_i) begin
      nb_valid_q  <= nb_valid_next_q;
      nb_vector_q <= nb_vector_next_q;
    end
    if (s1_load_i) begin
      s1_next_q   <= s1_i;
      keep_next_q <= keep_i;
    end
    if (s1_xfer_i) s1_q <= s1_next_q;
  end
  assign keep_o = keep_next_q;

  // ---------------------------------------------------------------- edge weights
  logic [15:0] edge_weights;
  if (EdgeWeights) begin : g_edge_weights
    logic [15:0] edge_weights_next_q, edge_weights_q;
    always_ff @(posedge clk_i) begin
      if (edge_load_i) edge_weights_next_q <= edge_weights_i;
      if (edge_xfer_i) edge_weights_q <= edge_weights_next_q;
    end
    assign edge_weights = edge_weights_q;
  end else begin : g_no_edge_weights
    logic unused_edge_weights;
    assign unused_edge_weights = ^{edge_load_i, edge_xfer_i, edge_weights_i};
    assign edge_weights        = '0;
  end

  // ---------------------------------------------------------------- pair table
  logic [31:0] pair_v;
  if (PairTable) begin : g_pair_table
    logic [4*LabelBits-1:0] nb_label_next_q, nb_label_q;
    always_ff @(posedge clk_i) begin
      if (nb_load_i) nb_label_next_q <= nb_label_i;
      if (nb_xfer_i) nb_label_q <= nb_label_next_q;
    end
    // One copy for each neighbour: four look-ups a label
    for (genvar n = 0; n < 4; n++) begin : g_neighbour
      spa_ram_1r1w #(.Width(8), .Depth(2 ** (2 * LabelBits))) u_pair (
        .clk_i,
        .we_i   (pair_we_i), .waddr_i(pair_waddr_i), .wdata_i(pair_wdata_i),
        .raddr_i({own_label_i, nb_label_q[n*LabelBits +: LabelBits]}), .rdata_o(pair_v[8*n +: 8])
      );
    end
  end else begin : g_no_pair_table
    logic unused_pair;
    assign unused_pair = ^{pair_we_i, pair_waddr_i, pair_wdata_i, own_label_i, nb_label_i};
    assign pair_v      = '0;
  end

  // ---------------------------------------------------------------- passes
  spa_energy #(
    .LabelBits(LabelBits), .SingletonBits(SingletonBits), .EnergyBits(EnergyBits),
    .PairTable(PairTable), .SingletonTable(SingletonTable), .EdgeWeights(EdgeWeights)
  ) u_energy (
    .clk_i,
    .cfg_alpha_i, .cfg_beta_i, .cfg_shift_i, .cfg_overflow_i, .cfg_data_cap_i, .cfg_s_outside_i,
    .cfg_squared_i, .cfg_cost_i, .cfg_pair_form_i, .cfg_pair_cap_i,
    .nb_valid_i(nb_valid_q), .nb_vector_i(nb_vector_q), .s1_i(s1_q), .edge_weights_i(edge_weights),
    .own_vx_i, .own_vy_i, .pair_table_i(pair_v), .s2_i, .outside_i, .cost_i,
    .e_o
  );

  spa_weight #(
    .LabelBits(LabelBits), .EnergyBits(EnergyBits), .PBits(PBits), .ScheduleEntries(ScheduleEntries),
    .Linear(Linear)
  ) u_weight (
    .clk_i,
    .e_first_i, .min_hold_i, .e_i(e_o),
    .e_again_i, .thr_i, .entry_i, .w_o,
    .w_first_i, .sum_hold_i, .sum_o,
    .table_we_i, .table_waddr_i, .table_wdata_i
  );

  spa_select #(.LabelBits(LabelBits), .PBits(PBits)) u_select (
    .clk_i,
    .r_load_i, .r_i,
    .rem_first_i, .cnt_first_i, .w_i(w_again_i),
    .sel_hold_i, .label_o
  );

endmodule
