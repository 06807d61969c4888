// spa_array: grid of SPEs, one-hop links, scheduler, axes, random number groups (SPE array)

module spa_array #(
  parameter int Rows            = 1,
  parameter int Cols            = 1,
  parameter int Spus            = 2,     // SPUs an SPE: 1, 2, 4 or 8
  parameter int LabelBits       = 6,
  parameter int SingletonBits   = 8,
  parameter int EnergyBits      = 8,
  parameter int PBits           = 8,
  parameter int UBits           = 24,
  parameter int CountBits       = 8,
  parameter int RvCapacity      = 8192,  // RVs an SPE
  parameter int S2Capacity      = 8192,  // singleton 2 samples an SPE
  parameter int TileWidthMax    = 128,
  parameter int TileHeightMax   = 128,
  parameter int ScheduleEntries = 64,
  parameter bit S2Links         = 1'b1,  // singleton 2 from the eight neighbours
  parameter bit Linear          = 1'b0,  // w = p from a table, not a power of two
  parameter bit PairTable       = 1'b0,
  parameter bit SingletonTable  = 1'b0,
  parameter bit EdgeWeights     = 1'b0,
  parameter int CostCapacity    = 1024,  // costs an SPE (SingletonTable)
  parameter int RngShare        = 4,     // SPEs a random number generator
  parameter int LogFifoDepth    = 64,
  parameter int MessageBits     = 32,
  localparam int Spes           = Rows * Cols
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  // Load bus
  input  logic                        load_valid_i,
  input  logic [3:0]                  load_target_i,
  input  logic [11:0]                 load_spe_i,
  input  logic [23:0]                 load_addr_i,
  input  logic [23:0]                 load_data_i,

  // Configuration, stable from the first slot to the end of the drain
  input  logic [16:0]                 cfg_width_i,
  input  logic [16:0]                 cfg_height_i,
  input  logic [15:0]                 cfg_tile_width_i,
  input  logic [15:0]                 cfg_tile_height_i,
  input  logic [8:0]                  cfg_labels_i,
  input  logic [7:0]                  cfg_alpha_i,
  input  logic [7:0]                  cfg_beta_i,
  input  logic [4:0]                  cfg_shift_i,
  input  logic [15:0]                 cfg_data_cap_i,
  input  logic [15:0]                 cfg_s_outside_i,
  input  logic                        cfg_squared_i,
  input  logic [1:0]                  cfg_s2_mode_i,
  input  logic [1:0]                  cfg_pair_form_i,
  input  logic [7:0]                  cfg_pair_cap_i,
  input  logic                        cfg_s2_replicate_i,
  input  logic [15:0]                 cfg_s2_stride_i,
  input  logic [23:0]                 cfg_s2_wrap_i,
  input  logic [11:0]                 cfg_margin_left_i,
  input  logic [11:0]                 cfg_margin_up_i,
  input  logic [23:0]                 cfg_s2_margin_base_i,
  input  logic [63:0]                 cfg_seed_i,
  input  logic [7:0]                  cfg_chain_i,

  // Slots
  input  logic                        slot_valid_i,
  input  logic                        slot_half_start_i,
  input  logic                        slot_colour_i,
  input  logic                        slot_collect_i,
  input  logic                        slot_first_i,
  input  logic [15:0]                 slot_row0_i,
  input  logic [23:0]                 slot_row0_base_i,
  input  logic [23:0]                 slot_iteration_i,
  input  logic [7:0]                  slot_entry_i,
  output logic                        stall_o,
  output logic                        idle_o,

  // Drain
  input  logic                        drain_start_i,
  output logic                        drain_done_o,

  // Label readback, only while idle
  input  logic                        rd_valid_i,
  input  logic [11:0]                 rd_spe_i,
  /* verilator lint_off UNUSEDSIGNAL */  // register width; a build uses the bits its memories need
  input  logic [23:0]                 rd_addr_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                        rd_valid_o,
  output logic [7:0]                  rd_label_o,

  // Log FIFO heads, SPE 0 in the lowest bits
  output logic [39:0]                 sent_o,
  output logic [Spes-1:0]             msg_valid_o,
  output logic [Spes*MessageBits-1:0] msg_data_o,
  input  logic [Spes-1:0]             msg_ready_i
);

  // Cycles from a slot to the first one that reads its labels, less 3 L. Stages are counted in docs/array.md.
  /* verilator lint_off UNUSEDPARAM */  // for the host, which computes the switch gap
  localparam int PipelineLatency = 33 + 3 * Spus;
  /* verilator lint_on UNUSEDPARAM */

  localparam int XBits       = $clog2(TileWidthMax);
  localparam int YBits       = $clog2(TileHeightMax);
  localparam int RvBits      = $clog2(RvCapacity);
  localparam int BankBits    = $clog2(RvCapacity / 4);
  localparam int S2Bits      = $clog2(S2Capacity / Spus);
  localparam int CostBits    = $clog2(CostCapacity / Spus);
  localparam int VxBits      = LabelBits;
  localparam int VyBits      = (LabelBits + 1) / 2;
  localparam int RotBits     = Spus > 1 ? $clog2(Spus) : 1;
  localparam int LaneBits    = RotBits;
  localparam int WBufBits    = LabelBits + 1 > 5 ? LabelBits + 1 : 5;
  localparam int EntryBits   = $clog2(ScheduleEntries);
  localparam int FillBits    = $clog2(LogFifoDepth + 1);
  localparam int SampleBits  = 18;
  localparam int Words       = Spus > 1 ? 2 : 1;
  localparam int LinkBits    = Spus * SingletonBits;
  localparam int PayloadBits = RvBits + LabelBits + CountBits;

  localparam logic [3:0]  TargetOrigin = 4'd4;
  localparam logic [11:0] AllSpes      = 12'hFFF;

  // ---------------------------------------------------------------- input registers
  logic                load_valid_q;
  logic [3:0]          load_target_q, load_target_qq;
  logic [11:0]         load_spe_q;
  logic [23:0]         load_addr_q, load_addr_qq, load_data_q, load_data_qq;
  logic                slot_valid_q, slot_half_start_q, slot_colour_q, slot_collect_q, slot_first_q;
  logic [15:0]         slot_row0_q;
  logic [23:0]         slot_row0_base_q, slot_iteration_q, iteration_q;
  logic [7:0]          slot_entry_q;
  logic                run_start_q, drain_start_q;
  logic                           rd_valid_q;
  logic [11:0]                    rd_spe_q;
  logic [BankBits+1:0]            rd_addr_q;

  always_ff @(posedge clk_i) begin
    load_valid_q      <= load_valid_i && rst_ni;
    load_target_q     <= load_target_i;
    load_spe_q        <= load_spe_i;
    load_addr_q       <= load_addr_i;
    load_data_q       <= load_data_i;
    load_target_qq    <= load_target_q;
    load_addr_qq      <= load_addr_q;
    load_data_qq      <= load_data_q;
    slot_valid_q      <= slot_valid_i && rst_ni;
    slot_half_start_q <= slot_half_start_i;
    slot_colour_q     <= slot_colour_i;
    slot_collect_q    <= slot_collect_i;
    slot_first_q      <= slot_first_i;
    slot_row0_q       <= slot_row0_i;
    slot_row0_base_q  <= slot_row0_base_i;
    slot_iteration_q  <= slot_iteration_i;
    slot_entry_q      <= slot_entry_i;
    run_start_q       <= slot_valid_i && slot_half_start_i && !slot_colour_i && slot_iteration_i == '0;
    drain_start_q     <= drain_start_i && rst_ni;
    rd_valid_q        <= rd_valid_i && rst_ni;
    rd_spe_q          <= rd_spe_i;
    rd_addr_q         <= rd_addr_i[BankBits+1:0];
    if (slot_valid_q) iteration_q <= slot_iteration_q;
  end

  // Configuration of the scheduler, near it
  logic [15:0] tile_width_q, tile_height_q, s2_stride_q;
  logic [8:0]  labels_q;
  logic        s2_replicate_q, rst_nq;
  logic [23:0] s2_wrap_q, s2_margin_base_q;
  logic [11:0] margin_left_q, margin_up_q;

  always_ff @(posedge clk_i) begin
    rst_nq           <= rst_ni;
    tile_width_q     <= cfg_tile_width_i;
    tile_height_q    <= cfg_tile_height_i;
    labels_q         <= cfg_labels_i;
    s2_replicate_q   <= cfg_s2_replicate_i;
    s2_stride_q      <= cfg_s2_stride_i;
    s2_wrap_q        <= cfg_s2_wrap_i;
    s2_margin_base_q <= cfg_s2_margin_base_i;
    margin_left_q    <= cfg_margin_left_i;
    margin_up_q      <= cfg_margin_up_i;
  end

  // ---------------------------------------------------------------- scheduler
  logic [4*BankBits-1:0]          lab_raddr;
  logic [YBits:0]                 halo_h_raddr;
  logic [XBits:0]                 halo_v_raddr;
  logic [1:0]                     sw_bank;
  logic [3:0]                     sw_halo;
  logic [Spus-1:0]                nb_load;
  logic                           nb_xfer;
  logic [RvBits-1:0]              s1_raddr;
  logic [Spus-1:0]                s1_load;
  logic                           s1_xfer;
  logic [4:0]                     keep_waddr;
  logic [Spus*S2Bits-1:0]         s2_raddr;
  logic [RotBits-1:0]             s2_rot;
  logic [2*Spus-1:0]              s2_dirx;
  logic [1:0]                     s2_diry;
  logic [7:0]                     s2_value;
  logic [CostBits-1:0]            cost_raddr;
  logic [LabelBits-1:0]           own_label;
  logic [VxBits-1:0]              own_vx;
  logic [VyBits-1:0]              own_vy;
  logic                           e_we;
  logic                           e_first;
  logic [LabelBits-1:0]           e_waddr;
  logic                           min_hold;
  logic [LabelBits-1:0]           e_raddr;
  logic                           thr_load;
  logic [PBits*(EnergyBits+1)-1:0] thr;
  logic [EntryBits-1:0]           entry;
  logic                           w_we;
  logic                           w_first;
  logic [WBufBits-1:0]            w_waddr;
  logic                           sum_hold;
  logic [3:0]                     u_raddr;
  logic [LaneBits-1:0]            mul_lane;
  logic [Spus-1:0]                r_load;
  logic [WBufBits-1:0]            w_raddr;
  logic                           rem_first;
  logic                           cnt_first;
  logic                           sel_hold;
  logic [4:0]                     keep_raddr;
  logic [LaneBits-1:0]            wb_lane;
  logic                           wb_load;
  logic [3:0]                     lab_we;
  logic [BankBits-1:0]            lab_waddr;
  logic                           ent_valid;
  logic                           ent_drain;
  logic                           ent_first;
  logic [RvBits-1:0]              ent_addr;
  logic                           halo_h_we;
  logic [YBits:0]                 halo_h_waddr;
  logic                           halo_v_we;
  logic [XBits:0]                 halo_v_waddr;
  logic [FillBits-1:0]            fill_limit;
  logic                            pos_valid, pos_colour, pos_odd, idle;
  logic [XBits-1:0]                axis_x;
  logic [YBits-1:0]                axis_y;
  logic [SampleBits-1:0]           sample_x, sample_y;

  spa_scheduler #(
    .Spus(Spus), .LabelBits(LabelBits), .EnergyBits(EnergyBits), .PBits(PBits), .RvCapacity(RvCapacity),
    .S2Capacity(S2Capacity), .TileWidthMax(TileWidthMax), .TileHeightMax(TileHeightMax),
    .ScheduleEntries(ScheduleEntries), .S2Links(S2Links), .Linear(Linear), .SingletonTable(SingletonTable),
    .CostCapacity(CostCapacity), .LogFifoDepth(LogFifoDepth)
  ) u_scheduler (
    .clk_i, .rst_ni(rst_nq),
    .load_valid_i(load_valid_q), .load_target_i(load_target_q), .load_addr_i(load_addr_q),
    .load_data_i(load_data_q),
    .cfg_tile_width_i(tile_width_q), .cfg_tile_height_i(tile_height_q), .cfg_labels_i(labels_q),
    .cfg_s2_replicate_i(s2_replicate_q), .cfg_s2_stride_i(s2_stride_q), .cfg_s2_wrap_i(s2_wrap_q),
    .cfg_margin_left_i(margin_left_q), .cfg_margin_up_i(margin_up_q), .cfg_s2_margin_base_i(s2_margin_base_q),
    .slot_valid_i(slot_valid_q), .slot_half_start_i(slot_half_start_q), .slot_colour_i(slot_colour_q),
    .slot_collect_i(slot_collect_q), .slot_first_i(slot_first_q), .slot_row0_i(slot_row0_q),
    .slot_row0_base_i(slot_row0_base_q), .slot_entry_i(slot_entry_q), .idle_o(idle),
    .drain_start_i(drain_start_q), .drain_done_o, .stall_i(stall_o),
    .rd_valid_i(rd_valid_q), .rd_addr_i(rd_addr_q),
    .pos_valid_o(pos_valid), .pos_colour_o(pos_colour), .pos_odd_o(pos_odd),
    .axis_x_o(axis_x), .axis_y_o(axis_y), .sample_x_o(sample_x), .sample_y_o(sample_y),
    .lab_raddr_o(lab_raddr), .halo_h_raddr_o(halo_h_raddr), .halo_v_raddr_o(halo_v_raddr), .sw_bank_o(sw_bank), .sw_halo_o(sw_halo), .nb_load_o(nb_load), .nb_xfer_o(nb_xfer),
    .s1_raddr_o(s1_raddr), .s1_load_o(s1_load), .s1_xfer_o(s1_xfer), .keep_waddr_o(keep_waddr),
    .s2_raddr_o(s2_raddr), .s2_rot_o(s2_rot), .s2_dirx_o(s2_dirx), .s2_diry_o(s2_diry), .s2_value_o(s2_value), .cost_raddr_o(cost_raddr), .own_label_o(own_label), .own_vx_o(own_vx), .own_vy_o(own_vy),
    .e_we_o(e_we), .e_first_o(e_first), .e_waddr_o(e_waddr), .min_hold_o(min_hold), .e_raddr_o(e_raddr), .thr_load_o(thr_load), .thr_o(thr), .entry_o(entry), .w_we_o(w_we), .w_first_o(w_first), .w_waddr_o(w_waddr),
    .sum_hold_o(sum_hold), .u_raddr_o(u_raddr), .mul_lane_o(mul_lane), .r_load_o(r_load), .w_raddr_o(w_raddr), .rem_first_o(rem_first), .cnt_first_o(cnt_first), .sel_hold_o(sel_hold), .keep_raddr_o(keep_raddr), .wb_lane_o(wb_lane),
    .wb_load_o(wb_load), .lab_we_o(lab_we), .lab_waddr_o(lab_waddr), .ent_valid_o(ent_valid), .ent_drain_o(ent_drain), .ent_first_o(ent_first), .ent_addr_o(ent_addr), .halo_h_we_o(halo_h_we), .halo_h_waddr_o(halo_h_waddr), .halo_v_we_o(halo_v_we), .halo_v_waddr_o(halo_v_waddr), .fill_limit_o(fill_limit)
  );
  assign idle_o = idle && !slot_valid_q;

  // ---------------------------------------------------------------- axes
  logic                   replicate_q, samples_q, pos_valid_3;
  logic [15:0]            last_x_q, last_y_q;
  logic [Cols-1:0]        left, right, inside_x;
  logic [Rows-1:0]        up, down, inside_y, outside_y;
  logic [Cols*Spus-1:0]   outside_x;
  logic [16*Cols-1:0]     global_x;
  logic [16*Rows-1:0]     global_y;

  always_ff @(posedge clk_i) begin
    replicate_q <= S2Links ? cfg_s2_replicate_i : 1'b1;
    samples_q   <= cfg_s2_mode_i == 2'd0;
    last_x_q    <= 16'(cfg_width_i - 17'd1);
    last_y_q    <= 16'(cfg_height_i - 17'd1);
  end

  // With the global coordinate of the slot's first RV
  logic        pos_colour_3, pos_odd_3;
  logic [23:0] iteration_3;
  spa_delay #(.Width(27), .Stages(2)) u_pos (
    .clk_i,
    .data_i({pos_valid, pos_colour, pos_odd, iteration_q}),
    .data_o({pos_valid_3, pos_colour_3, pos_odd_3, iteration_3})
  );

  for (genvar c = 0; c < Cols; c++) begin : g_axis_x
    logic origin_we_q;
    always_ff @(posedge clk_i) begin
      origin_we_q <= load_valid_q && load_target_q == TargetOrigin && !load_addr_q[0]
                     && (load_spe_q == 12'(c) || load_spe_q == AllSpes);
    end

    spa_axis #(.LocalBits(XBits), .Lanes(Spus)) u_axis (
      .clk_i,
      .we_i(origin_we_q), .wdata_i(load_data_qq[15:0]),
      .cfg_extent_i(cfg_width_i), .cfg_last_i(last_x_q), .cfg_margin_i(replicate_q ? margin_left_q : 12'd0),
      .cfg_samples_i(samples_q),
      .local_i(axis_x), .before_o(left[c]), .after_o(right[c]), .inside_o(inside_x[c]),
      .first_i(pos_valid_3), .global_o(global_x[16*c +: 16]),
      .sample_i(sample_x), .outside_o(outside_x[c*Spus +: Spus])
    );
  end

  for (genvar r = 0; r < Rows; r++) begin : g_axis_y
    logic origin_we_q;
    always_ff @(posedge clk_i) begin
      origin_we_q <= load_valid_q && load_target_q == TargetOrigin && load_addr_q[0]
                     && (load_spe_q == 12'(r * Cols) || load_spe_q == AllSpes);
    end

    spa_axis #(.LocalBits(YBits), .Lanes(1)) u_axis (
      .clk_i,
      .we_i(origin_we_q), .wdata_i(load_data_qq[15:0]),
      .cfg_extent_i(cfg_height_i), .cfg_last_i(last_y_q), .cfg_margin_i(replicate_q ? margin_up_q : 12'd0),
      .cfg_samples_i(samples_q),
      .local_i(axis_y), .before_o(up[r]), .after_o(down[r]), .inside_o(inside_y[r]),
      .first_i(pos_valid_3), .global_o(global_y[16*r +: 16]),
      .sample_i(sample_y), .outside_o(outside_y[r])
    );
  end

  // ---------------------------------------------------------------- random numbers: one group for RngShare SPEs
  localparam int Groups = (Spes + RngShare - 1) / RngShare;

  logic                           draw_start_q, draw_colour_q, draw_odd_q;
  logic [Groups*RngShare-1:0]     rng_valid;
  logic [Groups-1:0]              rng_last;
  logic [Groups*Words*UBits-1:0]  rng_data;
  logic [Groups*RngShare*31-1:0]  counters;

  // Key schedule of Threefry: words k0 and k1, their parity, and the number of the injection
  logic [31:0] k0, k1, k2;
  logic [95:0] inject0_q, inject1_q;
  assign k0 = cfg_seed_i[31:0];
  assign k1 = cfg_seed_i[63:32];
  assign k2 = k0 ^ k1 ^ 32'h1BD11BDA;

  always_ff @(posedge clk_i) begin
    inject0_q <= {k0, k2, k1};
    inject1_q <= {k1 + 32'd3, k0 + 32'd2, k2 + 32'd1};

    draw_start_q <= pos_valid_3;
    if (pos_valid_3) begin
      draw_colour_q <= pos_colour_3;
      draw_odd_q    <= pos_odd_3;
    end
  end
  // A block serves the four columns of x >> 2.
  logic unused_column;
  assign unused_column = ^global_x;
  for (genvar n = 0; n < Groups * RngShare; n++) begin : g_counter
    if (n < Spes) begin : g_spe
      assign counters[31*n +: 31] = {global_y[16*(n/Cols) +: 16], global_x[16*(n%Cols)+2 +: 14], draw_colour_q};
    end else begin : g_none
      assign counters[31*n +: 31] = '0;
    end
  end
  for (genvar g = 0; g < Groups; g++) begin : g_rng
    logic [31:0] c1_q;
    always_ff @(posedge clk_i) if (pos_valid_3) c1_q <= {cfg_chain_i, iteration_3};

    spa_rng #(.Share(RngShare), .Spus(Spus), .UBits(UBits)) u_rng (
      .clk_i, .rst_ni(rst_nq),
      .key_i(cfg_seed_i), .inject0_i(inject0_q), .inject1_i(inject1_q),
      .start_i(draw_start_q), .c0_i(counters[31*RngShare*g +: 31*RngShare]), .c1_i(c1_q), .odd_i(draw_odd_q),
      .valid_o(rng_valid[RngShare*g +: RngShare]), .last_o(rng_last[g]),
      .data_o(rng_data[Words*UBits*g +: Words*UBits])
    );
  end

  // ---------------------------------------------------------------- shift: bits that do not fit into an energy
  logic [24:0] overflow;
  for (genvar b = 0; b < 25; b++) begin : g_overflow
    always_ff @(posedge clk_i) overflow[b] <= b >= EnergyBits + int'(cfg_shift_i);
  end

  // ---------------------------------------------------------------- SPEs
  logic [Spes*(LabelBits+1)-1:0]  label_links;
  logic [Spes*LinkBits-1:0]      s2_horizontal, s2_vertical;
  logic [Spes-1:0]               full, sent;
  logic [Spes*LabelBits-1:0]      rd_labels;
  logic [Rows-1:0]               full_row_q;

  for (genvar r = 0; r < Rows; r++) begin : g_row
    // Configuration: a register for each row keeps the wires short.
    logic [7:0]  alpha_q, beta_q, pair_cap_q;
    logic [3:0]  shift_q;
    logic [24:0] overflow_q;
    logic [15:0] data_cap_q, s_outside_q;
    logic        squared_q;
    logic [1:0]  s2_mode_q, pair_form_q;
    always_ff @(posedge clk_i) begin
      alpha_q     <= cfg_alpha_i;
      beta_q      <= cfg_beta_i;
      shift_q     <= cfg_shift_i[3:0];
      overflow_q  <= overflow;
      data_cap_q  <= cfg_data_cap_i;
      s_outside_q <= cfg_s_outside_i;
      squared_q   <= cfg_squared_i;
      s2_mode_q   <= cfg_s2_mode_i;
      pair_form_q <= cfg_pair_form_i;
      pair_cap_q  <= cfg_pair_cap_i;
      full_row_q[r] <= full[r*Cols +: Cols] != '0;
    end

    for (genvar c = 0; c < Cols; c++) begin : g_col
      localparam int N     = r * Cols + c;
      localparam int Left  = c > 0 ? N - 1 : N;
      localparam int Right = c < Cols - 1 ? N + 1 : N;
      localparam int Up    = r > 0 ? N - Cols : N;
      localparam int Down  = r < Rows - 1 ? N + Cols : N;
      localparam int Group = N / RngShare;

      // Beyond the grid nothing is written and every sample is outside the field: any value will do.
      logic [LabelBits:0]     label_left, label_right, label_up, label_down;
      logic [PayloadBits-1:0] payload;
      assign label_left  = c > 0 ? label_links[Left*(LabelBits+1) +: LabelBits+1] : '0;
      assign label_right = c < Cols - 1 ? label_links[Right*(LabelBits+1) +: LabelBits+1] : '0;
      assign label_up    = r > 0 ? label_links[Up*(LabelBits+1) +: LabelBits+1] : '0;
      assign label_down  = r < Rows - 1 ? label_links[Down*(LabelBits+1) +: LabelBits+1] : '0;

      logic load_hit_q;
      always_ff @(posedge clk_i) begin
        load_hit_q <= load_valid_q && (load_spe_q == 12'(N) || load_spe_q == AllSpes);
      end

      spa_spe #(
        .Spus(Spus), .LabelBits(LabelBits), .SingletonBits(SingletonBits), .EnergyBits(EnergyBits),
        .PBits(PBits), .UBits(UBits), .CountBits(CountBits), .RvCapacity(RvCapacity),
        .S2Capacity(S2Capacity), .TileWidthMax(TileWidthMax), .TileHeightMax(TileHeightMax),
        .ScheduleEntries(ScheduleEntries), .S2Links(S2Links), .Linear(Linear), .PairTable(PairTable),
        .SingletonTable(SingletonTable), .EdgeWeights(EdgeWeights), .CostCapacity(CostCapacity),
        .LogFifoDepth(LogFifoDepth)
      ) u_spe (
        .clk_i, .rst_ni(rst_nq),
        .load_hit_i(load_hit_q), .load_target_i(load_target_qq), .load_addr_i(load_addr_qq),
        .load_data_i(load_data_qq),
        .cfg_alpha_i(alpha_q), .cfg_beta_i(beta_q), .cfg_shift_i(shift_q), .cfg_overflow_i(overflow_q),
        .cfg_data_cap_i(data_cap_q), .cfg_s_outside_i(s_outside_q), .cfg_squared_i(squared_q),
        .cfg_s2_mode_i(s2_mode_q), .cfg_pair_form_i(pair_form_q), .cfg_pair_cap_i(pair_cap_q),
        .axis_neighbours_i({down[r], up[r], right[c], left[c]}), .axis_inside_i(inside_x[c] && inside_y[r]),
        .axis_outside_i(outside_x[c*Spus +: Spus] | {Spus{outside_y[r]}}),
        .rng_valid_i(rng_valid[N]), .rng_last_i(rng_last[Group]),
        .rng_data_i(rng_data[Words*UBits*Group +: Words*UBits]),
        .label_link_o(label_links[N*(LabelBits+1) +: LabelBits+1]),
        .label_left_i(label_left), .label_right_i(label_right), .label_up_i(label_up), .label_down_i(label_down),
        .s2_horizontal_o(s2_horizontal[N*LinkBits +: LinkBits]),
        .s2_vertical_o(s2_vertical[N*LinkBits +: LinkBits]),
        .s2_left_i(s2_horizontal[Left*LinkBits +: LinkBits]), .s2_right_i(s2_horizontal[Right*LinkBits +: LinkBits]),
        .s2_up_i(s2_vertical[Up*LinkBits +: LinkBits]), .s2_down_i(s2_vertical[Down*LinkBits +: LinkBits]),
        .full_o(full[N]), .sent_o(sent[N]),
        .msg_valid_o(msg_valid_o[N]), .msg_data_o(payload), .msg_ready_i(msg_ready_i[N]),
        .rd_label_o(rd_labels[N*LabelBits +: LabelBits]),
        .lab_raddr_i(lab_raddr), .halo_h_raddr_i(halo_h_raddr), .halo_v_raddr_i(halo_v_raddr), .sw_bank_i(sw_bank), .sw_halo_i(sw_halo), .nb_load_i(nb_load), .nb_xfer_i(nb_xfer),
        .s1_raddr_i(s1_raddr), .s1_load_i(s1_load), .s1_xfer_i(s1_xfer), .keep_waddr_i(keep_waddr),
        .s2_raddr_i(s2_raddr), .s2_rot_i(s2_rot), .s2_dirx_i(s2_dirx), .s2_diry_i(s2_diry), .s2_value_i(s2_value), .cost_raddr_i(cost_raddr), .own_label_i(own_label), .own_vx_i(own_vx), .own_vy_i(own_vy),
        .e_we_i(e_we), .e_first_i(e_first), .e_waddr_i(e_waddr), .min_hold_i(min_hold), .e_raddr_i(e_raddr), .thr_load_i(thr_load), .thr_i(thr), .entry_i(entry), .w_we_i(w_we), .w_first_i(w_first), .w_waddr_i(w_waddr),
        .sum_hold_i(sum_hold), .u_raddr_i(u_raddr), .mul_lane_i(mul_lane), .r_load_i(r_load), .w_raddr_i(w_raddr), .rem_first_i(rem_first), .cnt_first_i(cnt_first), .sel_hold_i(sel_hold), .keep_raddr_i(keep_raddr), .wb_lane_i(wb_lane),
        .wb_load_i(wb_load), .lab_we_i(lab_we), .lab_waddr_i(lab_waddr), .ent_valid_i(ent_valid), .ent_drain_i(ent_drain), .ent_first_i(ent_first), .ent_addr_i(ent_addr), .halo_h_we_i(halo_h_we), .halo_h_waddr_i(halo_h_waddr), .halo_v_we_i(halo_v_we), .halo_v_waddr_i(halo_v_waddr), .fill_limit_i(fill_limit)
      );

      assign msg_data_o[N*MessageBits +: MessageBits] =
          MessageBits'(payload) | (MessageBits'(N) << PayloadBits);
    end
  end
  always_ff @(posedge clk_i) stall_o <= full_row_q != '0;

  // ---------------------------------------------------------------- messages sent
  localparam int SumBits = $clog2(Spes + 1);

  localparam int RowSumBits = $clog2(Cols + 1);

  // A row first, then all rows
  logic [RowSumBits*Rows-1:0] row_pushes_q;
  logic [SumBits-1:0]         pushes, pushes_q;
  for (genvar r = 0; r < Rows; r++) begin : g_pushes
    logic [RowSumBits-1:0] row_pushes;
    always_comb begin
      row_pushes = '0;
      for (int c = 0; c < Cols; c++) row_pushes = row_pushes + RowSumBits'(sent[r*Cols + c]);
    end
    always_ff @(posedge clk_i) row_pushes_q[r*RowSumBits +: RowSumBits] <= row_pushes;
  end
  always_comb begin
    pushes = '0;
    for (int r = 0; r < Rows; r++) pushes = pushes + SumBits'(row_pushes_q[r*RowSumBits +: RowSumBits]);
  end
  always_ff @(posedge clk_i) begin
    pushes_q <= pushes;
    if (!rst_nq || run_start_q) sent_o <= '0;
    else                        sent_o <= sent_o + 40'(pushes_q);
  end

  // ---------------------------------------------------------------- label readback, 10 cycles
  logic [11:0]                    rd_spe_6;
  logic                           rd_valid_7;
  logic [Spes-1:0]                rd_hot_q;
  logic [Rows*LabelBits-1:0]      rd_row_q;
  logic [LabelBits-1:0]      rd_label, rd_row_or;

  spa_delay #(.Width(12), .Stages(6)) u_rd_spe (.clk_i, .data_i(rd_spe_q), .data_o(rd_spe_6));
  spa_delay #(.Width(1), .Stages(7)) u_rd_valid (.clk_i, .data_i(rd_valid_q), .data_o(rd_valid_7));

  always_comb begin
    rd_row_or = '0;
    for (int r = 0; r < Rows; r++) rd_row_or = rd_row_or | rd_row_q[r*LabelBits +: LabelBits];
  end

  logic rd_valid_8_q;
  always_ff @(posedge clk_i) begin
    rd_valid_8_q <= rd_valid_7;
    rd_valid_o   <= rd_valid_8_q;
    rd_label     <= rd_row_or;
  end
  assign rd_label_o = 8'(rd_label);

  for (genvar n = 0; n < Spes; n++) begin : g_rd_hot
    always_ff @(posedge clk_i) rd_hot_q[n] <= rd_spe_6 == 12'(n);
  end
  for (genvar r = 0; r < Rows; r++) begin : g_rd_row
    logic [LabelBits-1:0] any;
    always_comb begin
      any = '0;
      for (int c = 0; c < Cols; c++) begin
        any = any | (rd_labels[(r*Cols+c)*LabelBits +: LabelBits] & {LabelBits{rd_hot_q[r*Cols+c]}});
      end
    end
    always_ff @(posedge clk_i) rd_row_q[r*LabelBits +: LabelBits] <= any;
  end

endmodule
