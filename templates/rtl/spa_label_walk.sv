// spa_label_walk: one label a cycle: offset table, S2Mem addresses, vectors of the labels (Scheduler)
//
// Label l of a slot is in stage 0 in cycle Spus + l of the slot. Outputs named (n) are valid n cycles later; a SPE
// uses them one cycle later, behind its input register.

module spa_label_walk #(
  parameter int Spus           = 2,
  parameter int LabelBits      = 6,
  parameter int S2Capacity     = 8192,
  parameter int TileWidthMax   = 128,
  parameter int TileHeightMax  = 128,
  parameter int CostCapacity   = 1024,
  parameter bit S2Links        = 1'b1,
  parameter bit SingletonTable = 1'b0,
  localparam int XBits         = $clog2(TileWidthMax),
  localparam int YBits         = $clog2(TileHeightMax),
  localparam int S2Bits        = $clog2(S2Capacity / Spus),
  localparam int CostBits      = $clog2(CostCapacity / Spus),
  localparam int VxBits        = LabelBits,
  localparam int VyBits        = (LabelBits + 1) / 2,
  localparam int RotBits       = Spus > 1 ? $clog2(Spus) : 1,
  localparam int SampleBits    = 18
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  // Load bus: offset table, values, vectors
  input  logic                         load_valid_i,
  input  logic [3:0]                   load_target_i,
  input  logic [LabelBits:0]           load_addr_i,
  input  logic [23:0]                  load_data_i,

  input  logic [8:0]                   cfg_labels_i,
  input  logic                         cfg_s2_replicate_i,
  input  logic [15:0]                  cfg_tile_width_i,
  input  logic [15:0]                  cfg_tile_height_i,
  /* verilator lint_off UNUSEDSIGNAL */  // register width; a build uses the bits its memories need
  input  logic [23:0]                  cfg_s2_wrap_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [11:0]                  cfg_margin_left_i,
  input  logic [11:0]                  cfg_margin_up_i,
  /* verilator lint_off UNUSEDSIGNAL */  // register width; a build uses the bits its memories need
  input  logic [23:0]                  cfg_s2_margin_base_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // Start of the walk (stage 0 of label 0 is the next cycle), position of the slot
  input  logic                         start_i,
  input  logic [XBits-1:0]             pos_x_i,
  input  logic [YBits-1:0]             pos_y_i,
  input  logic [S2Bits-1:0]            pos_s2_i,
  input  logic [CostBits-1:0]          pos_cost_i,

  // Stage 0
  output logic                         walk_valid_o,
  output logic                         walk_first_o,
  output logic                         walk_last_o,

  // Sample coordinates for the borders of the field (3)
  output logic [SampleBits-1:0]        sample_x_o,
  output logic [SampleBits-1:0]        sample_y_o,

  // S2Mem: bank addresses (7), bank of SPU 0 (9), tile column (10), tile row (11)
  output logic [Spus*S2Bits-1:0]       s2_raddr_o,
  output logic [RotBits-1:0]           s2_rot_o,
  output logic [2*Spus-1:0]            s2_dirx_o,     // {right, left} of each SPU
  output logic [1:0]                   s2_diry_o,     // {down, up}
  output logic [7:0]                   s2_value_o,    // singleton 2 of the label (11)

  // Cost table address (14)
  output logic [CostBits-1:0]          cost_raddr_o,

  // Own label and its vector (10)
  output logic [LabelBits-1:0]         label_o,
  output logic [VxBits-1:0]            vx_o,
  output logic [VyBits-1:0]            vy_o
);

  localparam int LogK   = $clog2(Spus);
  localparam int GBits  = SampleBits - 1 - LogK;      // group number, signed
  localparam int WBits  = S2Bits - 1;                 // group number in an address
  localparam int Labels = 2 ** LabelBits;

  localparam logic [3:0] TargetOffset = 4'd5;
  localparam logic [3:0] TargetValue  = 4'd6;
  localparam logic [3:0] TargetVector = 4'd7;

  // ---------------------------------------------------------------- stage 0: label counter
  logic                 run_q;
  logic [LabelBits-1:0] label_q, last_label_q;
  logic                 first_q;

  assign walk_valid_o = run_q;
  assign walk_first_o = first_q;
  assign walk_last_o  = run_q && label_q == last_label_q;

  always_ff @(posedge clk_i) begin
    last_label_q <= LabelBits'(cfg_labels_i - 9'd1);
    first_q      <= start_i;
    label_q      <= start_i ? '0 : label_q + 1'b1;
    if (!rst_ni)          run_q <= 1'b0;
    else if (start_i)     run_q <= 1'b1;
    else if (walk_last_o) run_q <= 1'b0;
  end

  // ---------------------------------------------------------------- tables (stage 2)
  logic [23:0]       offset;
  logic [S2Bits-1:0] offset_row;
  logic              load_offset;
  assign load_offset = load_valid_i && load_target_i == TargetOffset;

  spa_ram_1r1w #(.Width(24), .Depth(Labels)) u_offset (
    .clk_i,
    .we_i   (load_offset && !load_addr_i[0]), .waddr_i(load_addr_i[LabelBits:1]), .wdata_i(load_data_i),
    .raddr_i(label_q), .rdata_o(offset)
  );
  spa_ram_1r1w #(.Width(S2Bits), .Depth(Labels)) u_offset_row (
    .clk_i,
    .we_i   (load_offset && load_addr_i[0]), .waddr_i(load_addr_i[LabelBits:1]),
    .wdata_i(load_data_i[S2Bits-1:0]),
    .raddr_i(label_q), .rdata_o(offset_row)
  );

  logic [LabelBits-1:0] label_8;
  spa_delay #(.Width(LabelBits), .Stages(8)) u_label_8 (.clk_i, .data_i(label_q), .data_o(label_8));
  spa_delay #(.Width(LabelBits), .Stages(2)) u_label_10 (.clk_i, .data_i(label_8), .data_o(label_o));

  spa_ram_1r1w #(.Width(VxBits + VyBits), .Depth(Labels)) u_vector (
    .clk_i,
    .we_i   (load_valid_i && load_target_i == TargetVector), .waddr_i(load_addr_i[LabelBits-1:0]),
    .wdata_i({load_data_i[8 +: VyBits], load_data_i[VxBits-1:0]}),
    .raddr_i(label_8), .rdata_o({vy_o, vx_o})
  );

  logic [7:0] value;
  spa_ram_1r1w #(.Width(8), .Depth(Labels)) u_value (
    .clk_i,
    .we_i   (load_valid_i && load_target_i == TargetValue), .waddr_i(load_addr_i[LabelBits-1:0]),
    .wdata_i(load_data_i[7:0]),
    .raddr_i(label_8), .rdata_o(value)
  );
  spa_delay #(.Width(8), .Stages(1)) u_value_11 (.clk_i, .data_i(value), .data_o(s2_value_o));

  // ---------------------------------------------------------------- origin of the slot's samples
  logic replicate;
  assign replicate = S2Links ? cfg_s2_replicate_i : 1'b1;

  // Held in stage 1 and copied to stage 2: the next slot may start while the last label is in stage 1.
  logic [SampleBits-1:0] base_x_q, base_y_q, x_q, y_q;
  logic [S2Bits-1:0]     base_s2_q, s2_q;
  always_ff @(posedge clk_i) begin
    if (first_q) begin
      base_x_q  <= SampleBits'(pos_x_i) + (replicate ? SampleBits'(cfg_margin_left_i) : SampleBits'(0));
      base_y_q  <= SampleBits'(pos_y_i) + (replicate ? SampleBits'(cfg_margin_up_i) : SampleBits'(0));
      base_s2_q <= pos_s2_i + (replicate ? S2Bits'(cfg_s2_margin_base_i) : S2Bits'(0));
    end
    x_q  <= base_x_q;
    y_q  <= base_y_q;
    s2_q <= base_s2_q;
  end

  // ---------------------------------------------------------------- stage 2: sample of SPU 0
  logic [S2Bits-1:0] row_3_q;
  always_ff @(posedge clk_i) begin
    sample_x_o <= x_q + {{(SampleBits-12){offset[11]}}, offset[11:0]};
    sample_y_o <= y_q + {{(SampleBits-12){offset[23]}}, offset[23:12]};
    row_3_q    <= s2_q + offset_row;
  end

  // ---------------------------------------------------------------- stage 3: which tile
  // The samples of one label lie in two consecutive groups of 2*Spus columns, A and B = A + 1.
  /* verilator lint_off UNUSEDSIGNAL */  // builds without links need no more bits than an address has
  logic [GBits-1:0]   group_a, group_b;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [WBits-1:0]   group_a_4_q, group_b_4_q;
  logic               lsb_4_q;
  logic [RotBits-1:0] rot, rot_4_q;
  logic [S2Bits-1:0]  row_4_q;
  logic [1:0]         dir_a, dir_b, dir_y;            // {beyond, before}

  assign group_a = sample_x_o[SampleBits-1 -: GBits];
  assign group_b = group_a + 1'b1;
  if (Spus > 1) begin : g_rot
    assign rot = sample_x_o[LogK:1];
  end else begin : g_no_rot
    assign rot = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    group_a_4_q <= WBits'(group_a);
    group_b_4_q <= WBits'(group_b);
    lsb_4_q     <= sample_x_o[0];
    rot_4_q     <= rot;
    row_4_q     <= row_3_q;
  end

  // ---------------------------------------------------------------- stage 4: address in that tile
  logic [WBits-1:0]   word_a_5_q, word_b_5_q;
  logic [S2Bits-1:0]  row_5_q;
  logic [RotBits-1:0] rot_5_q;

  if (S2Links) begin : g_wrap
    logic [GBits-1:0]  groups;
    logic [WBits-1:0]  wrap_x, add_a, add_b;
    logic [S2Bits-1:0] wrap, add_y;
    logic [1:0]        dir_y_4_q, dir_a_4_q, dir_b_4_q;
    assign groups = GBits'(cfg_tile_width_i >> (1 + LogK));
    assign wrap   = S2Bits'(cfg_s2_wrap_i);
    assign wrap_x = WBits'(groups);

    assign dir_a = {!group_a[GBits-1] && group_a >= groups, group_a[GBits-1]};
    assign dir_b = {!group_b[GBits-1] && group_b >= groups, group_b[GBits-1]};
    assign dir_y = {!sample_y_o[SampleBits-1] && sample_y_o >= SampleBits'(cfg_tile_height_i),
                    sample_y_o[SampleBits-1]};

    // Left or above: the tile's size is added; right or below: subtracted
    assign add_a = dir_a_4_q[0] ? wrap_x : dir_a_4_q[1] ? -wrap_x : '0;
    assign add_b = dir_b_4_q[0] ? wrap_x : dir_b_4_q[1] ? -wrap_x : '0;
    assign add_y = dir_y_4_q[0] ? wrap : dir_y_4_q[1] ? -wrap : '0;

    logic replicate_q;
    always_ff @(posedge clk_i) begin
      replicate_q <= replicate;
      dir_a_4_q   <= replicate_q ? 2'b00 : dir_a;
      dir_b_4_q   <= replicate_q ? 2'b00 : dir_b;
      dir_y_4_q   <= replicate_q ? 2'b00 : dir_y;
      word_a_5_q  <= group_a_4_q + add_a;
      word_b_5_q  <= group_b_4_q + add_b;
      row_5_q     <= row_4_q + add_y;
    end

    // Directions of the SPUs: SPU j is in group B if rot + j passes the last bank
    for (genvar j = 0; j < Spus; j++) begin : g_dir
      logic [1:0] dir_5_q;
      logic       in_b;
      assign in_b = int'(rot_4_q) + j >= Spus;
      always_ff @(posedge clk_i) dir_5_q <= in_b ? dir_b_4_q : dir_a_4_q;
      spa_delay #(.Width(2), .Stages(5)) u_dir (
        .clk_i, .data_i(dir_5_q), .data_o(s2_dirx_o[2*j +: 2])
      );
    end
    spa_delay #(.Width(2), .Stages(7)) u_diry (.clk_i, .data_i(dir_y_4_q), .data_o(s2_diry_o));
  end else begin : g_local
    always_ff @(posedge clk_i) begin
      word_a_5_q <= group_a_4_q;
      word_b_5_q <= group_b_4_q;
      row_5_q    <= row_4_q;
    end
    logic unused_cfg;
    assign unused_cfg = ^{cfg_tile_width_i, cfg_tile_height_i, cfg_s2_wrap_i, cfg_s2_replicate_i};
    assign dir_a      = '0;
    assign dir_b      = '0;
    assign dir_y      = '0;
    assign s2_dirx_o  = {Spus{dir_a | dir_b}};
    assign s2_diry_o  = dir_y;
  end

  // ---------------------------------------------------------------- stages 5, 6: bank addresses
  logic [S2Bits-1:0]  addr_a_6_q, addr_b_6_q;
  logic [RotBits-1:0] rot_6_q;
  logic               lsb_5_q;
  always_ff @(posedge clk_i) begin
    rot_5_q    <= rot_4_q;
    rot_6_q    <= rot_5_q;
    lsb_5_q    <= lsb_4_q;
    addr_a_6_q <= row_5_q + {word_a_5_q, lsb_5_q};
    addr_b_6_q <= row_5_q + {word_b_5_q, lsb_5_q};
  end

  for (genvar b = 0; b < Spus; b++) begin : g_bank
    // Banks below that of SPU 0 serve the SPUs that have passed into group B.
    always_ff @(posedge clk_i) s2_raddr_o[b*S2Bits +: S2Bits] <= b < int'(rot_6_q) ? addr_b_6_q : addr_a_6_q;
  end
  spa_delay #(.Width(RotBits), .Stages(3)) u_rot (.clk_i, .data_i(rot_6_q), .data_o(s2_rot_o));

  // ---------------------------------------------------------------- cost table
  if (SingletonTable) begin : g_cost
    logic                first_1_q, first_13;
    logic [CostBits-1:0] base_q, base_13;
    always_ff @(posedge clk_i) begin
      first_1_q <= first_q;
      if (first_1_q) base_q <= pos_cost_i;
    end
    spa_delay #(.Width(1), .Stages(12)) u_first (.clk_i, .data_i(first_1_q), .data_o(first_13));
    spa_delay #(.Width(CostBits), .Stages(11)) u_base (.clk_i, .data_i(base_q), .data_o(base_13));
    always_ff @(posedge clk_i) cost_raddr_o <= first_13 ? base_13 : cost_raddr_o + 1'b1;
  end else begin : g_no_cost
    assign cost_raddr_o = '0;
    logic unused_cost;
    assign unused_cost = ^pos_cost_i;
  end

endmodule
