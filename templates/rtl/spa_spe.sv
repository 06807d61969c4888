// spa_spe: stochastic processing element: memories of one tile, switches, SPUs, label entry, log FIFO (SPE)
//
// All SPEs do the same in the same cycle; control comes from spa_scheduler and passes the input registers below. SPEs
// differ in port values only. Synthesis keeps them apart: else it would find that the input registers of all of them
// hold the same, and make one of them, with wires all over the chip.

(* keep_hierarchy = "yes" *)
module spa_spe #(
  parameter int Spus            = 2,
  parameter int LabelBits       = 6,
  parameter int SingletonBits   = 8,
  parameter int EnergyBits      = 8,
  parameter int PBits           = 8,
  parameter int UBits           = 24,
  parameter int CountBits       = 8,
  parameter int RvCapacity      = 8192,
  parameter int S2Capacity      = 8192,
  parameter int TileWidthMax    = 128,
  parameter int TileHeightMax   = 128,
  parameter int ScheduleEntries = 64,
  parameter bit S2Links         = 1'b1,
  parameter bit Linear          = 1'b0,
  parameter bit PairTable       = 1'b0,
  parameter bit SingletonTable  = 1'b0,
  parameter bit EdgeWeights     = 1'b0,
  parameter int CostCapacity    = 1024,
  parameter int LogFifoDepth    = 64,
  localparam int XBits          = $clog2(TileWidthMax),
  localparam int YBits          = $clog2(TileHeightMax),
  localparam int RvBits         = $clog2(RvCapacity),
  localparam int BankBits       = $clog2(RvCapacity / 4),
  localparam int S2Bits         = $clog2(S2Capacity / Spus),
  localparam int CostBits       = $clog2(CostCapacity / Spus),
  localparam int VxBits         = LabelBits,
  localparam int VyBits         = (LabelBits + 1) / 2,
  localparam int RotBits        = Spus > 1 ? $clog2(Spus) : 1,
  localparam int LaneBits       = RotBits,
  localparam int WBufBits       = LabelBits + 1 > 5 ? LabelBits + 1 : 5,
  localparam int EntryBits      = $clog2(ScheduleEntries),
  localparam int FillBits       = $clog2(LogFifoDepth + 1),
  localparam int Words          = Spus > 1 ? 2 : 1,
  localparam int LinkBits       = Spus * SingletonBits,
  localparam int PayloadBits    = RvBits + LabelBits + CountBits
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  // Load bus; `load_hit_i`: the record is for this SPE
  input  logic                            load_hit_i,
  input  logic [3:0]                      load_target_i,
  input  logic [23:0]                     load_addr_i,
  input  logic [23:0]                     load_data_i,

  // Configuration, from registers
  input  logic [7:0]                      cfg_alpha_i,
  input  logic [7:0]                      cfg_beta_i,
  input  logic [3:0]                      cfg_shift_i,
  input  logic [24:0]                     cfg_overflow_i,
  input  logic [15:0]                     cfg_data_cap_i,
  input  logic [15:0]                     cfg_s_outside_i,
  input  logic                            cfg_squared_i,
  input  logic [1:0]                      cfg_s2_mode_i,
  input  logic [1:0]                      cfg_pair_form_i,
  input  logic [7:0]                      cfg_pair_cap_i,

  // Place in the field: neighbours {down, up, right, left}, padding, samples outside
  input  logic [3:0]                      axis_neighbours_i,
  input  logic                            axis_inside_i,
  input  logic [Spus-1:0]                 axis_outside_i,

  // Random numbers
  input  logic                            rng_valid_i,
  input  logic                            rng_last_i,
  input  logic [Words*UBits-1:0]          rng_data_i,

  // One-hop links: labels written {written, label}, singleton 2
  output logic [LabelBits:0]              label_link_o,
  input  logic [LabelBits:0]              label_left_i,
  input  logic [LabelBits:0]              label_right_i,
  input  logic [LabelBits:0]              label_up_i,
  input  logic [LabelBits:0]              label_down_i,
  output logic [LinkBits-1:0]             s2_horizontal_o,
  output logic [LinkBits-1:0]             s2_vertical_o,
  input  logic [LinkBits-1:0]             s2_left_i,
  input  logic [LinkBits-1:0]             s2_right_i,
  input  logic [LinkBits-1:0]             s2_up_i,
  input  logic [LinkBits-1:0]             s2_down_i,

  // Messages {address, label, count}, label readback
  output logic                            full_o,
  output logic                            sent_o,
  output logic                            msg_valid_o,
  output logic [PayloadBits-1:0]          msg_data_o,
  input  logic                            msg_ready_i,
  output logic [LabelBits-1:0]            rd_label_o,

  // Reads of neighbours
  input  logic [4*BankBits-1:0]           lab_raddr_i,
  input  logic [YBits:0]                  halo_h_raddr_i,
  input  logic [XBits:0]                  halo_v_raddr_i,
  input  logic [1:0]                      sw_bank_i,
  input  logic [3:0]                      sw_halo_i,
  input  logic [Spus-1:0]                 nb_load_i,
  input  logic                            nb_xfer_i,

  // S1Mem
  input  logic [RvBits-1:0]               s1_raddr_i,
  input  logic [Spus-1:0]                 s1_load_i,
  input  logic                            s1_xfer_i,
  input  logic [4:0]                      keep_waddr_i,

  // Label walk
  input  logic [Spus*S2Bits-1:0]          s2_raddr_i,
  input  logic [RotBits-1:0]              s2_rot_i,
  input  logic [2*Spus-1:0]               s2_dirx_i,
  input  logic [1:0]                      s2_diry_i,
  input  logic [7:0]                      s2_value_i,
  input  logic [CostBits-1:0]             cost_raddr_i,
  input  logic [LabelBits-1:0]            own_label_i,
  input  logic [VxBits-1:0]               own_vx_i,
  input  logic [VyBits-1:0]               own_vy_i,

  // Passes 1 and 2
  input  logic                            e_we_i,
  input  logic                            e_first_i,
  input  logic [LabelBits-1:0]            e_waddr_i,
  input  logic                            min_hold_i,
  input  logic [LabelBits-1:0]            e_raddr_i,
  input  logic                            thr_load_i,
  input  logic [PBits*(EnergyBits+1)-1:0] thr_i,
  input  logic [EntryBits-1:0]            entry_i,
  input  logic                            w_we_i,
  input  logic                            w_first_i,
  input  logic [WBufBits-1:0]             w_waddr_i,

  // Multiplication and pass 3
  input  logic                            sum_hold_i,
  input  logic [3:0]                      u_raddr_i,
  input  logic [LaneBits-1:0]             mul_lane_i,
  input  logic [Spus-1:0]                 r_load_i,
  input  logic [WBufBits-1:0]             w_raddr_i,
  input  logic                            rem_first_i,
  input  logic                            cnt_first_i,
  input  logic                            sel_hold_i,
  input  logic [4:0]                      keep_raddr_i,
  input  logic [LaneBits-1:0]             wb_lane_i,

  // Write-back and drain
  input  logic                            wb_load_i,
  input  logic [3:0]                      lab_we_i,
  input  logic [BankBits-1:0]             lab_waddr_i,
  input  logic                            ent_valid_i,
  input  logic                            ent_drain_i,
  input  logic                            ent_first_i,
  input  logic [RvBits-1:0]               ent_addr_i,
  input  logic                            halo_h_we_i,
  input  logic [YBits:0]                  halo_h_waddr_i,
  input  logic                            halo_v_we_i,
  input  logic [XBits:0]                  halo_v_waddr_i,
  input  logic [FillBits-1:0]             fill_limit_i
);

  /* verilator no_inline_module */  // one simulation class for all SPEs

  localparam int VecBits    = VxBits + VyBits;
  localparam int SumBits    = LabelBits + PBits;
  localparam int TableBits  = EntryBits + EnergyBits;
  localparam int LogK       = $clog2(Spus);
  localparam int S2AddrBits = S2Bits + LogK;

  localparam logic [3:0] TargetS1     = 4'd0;
  localparam logic [3:0] TargetS2     = 4'd1;
  localparam logic [3:0] TargetVector = 4'd7;
  localparam logic [3:0] TargetWeight = 4'd8;
  localparam logic [3:0] TargetPair   = 4'd9;
  localparam logic [3:0] TargetCost   = 4'd10;
  localparam logic [3:0] TargetEdge   = 4'd12;

  // ---------------------------------------------------------------- input registers
  // Two in a row for what comes from the scheduler: the first may lie half way. Random numbers and configuration wait anyway.
  logic [4*BankBits-1:0]          lab_raddr_q;
  logic [YBits:0]                 halo_h_raddr_q;
  logic [XBits:0]                 halo_v_raddr_q;
  logic [1:0]                     sw_bank_q;
  logic [3:0]                     sw_halo_q;
  logic [Spus-1:0]                nb_load_q;
  logic                           nb_xfer_q;
  logic [RvBits-1:0]              s1_raddr_q;
  logic [Spus-1:0]                s1_load_q;
  logic                           s1_xfer_q;
  logic [4:0]                     keep_waddr_q;
  logic [Spus*S2Bits-1:0]         s2_raddr_q;
  logic [RotBits-1:0]             s2_rot_q;
  logic [2*Spus-1:0]              s2_dirx_q;
  logic [1:0]                     s2_diry_q;
  /* verilator lint_off UNUSEDSIGNAL */  // SingletonBits of them
  logic [7:0]                     s2_value_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [CostBits-1:0]            cost_raddr_q;
  logic [LabelBits-1:0]           own_label_q;
  logic [VxBits-1:0]              own_vx_q;
  logic [VyBits-1:0]              own_vy_q;
  logic                           e_we_q;
  logic                           e_first_q;
  logic [LabelBits-1:0]           e_waddr_q;
  logic                           min_hold_q;
  logic [LabelBits-1:0]           e_raddr_q;
  logic [PBits*(EnergyBits+1)-1:0] thr_q;
  logic [EntryBits-1:0]           entry_q;
  logic                           w_we_q;
  logic                           w_first_q;
  logic [WBufBits-1:0]            w_waddr_q;
  logic                           sum_hold_q;
  logic [3:0]                     u_raddr_q;
  logic [LaneBits-1:0]            mul_lane_q;
  logic [Spus-1:0]                r_load_q;
  logic [WBufBits-1:0]            w_raddr_q;
  logic                           rem_first_q;
  logic                           cnt_first_q;
  logic                           sel_hold_q;
  logic [4:0]                     keep_raddr_q;
  logic [LaneBits-1:0]            wb_lane_q;
  logic                           wb_load_q;
  logic [3:0]                     lab_we_q;
  logic [BankBits-1:0]            lab_waddr_q;
  logic                           ent_valid_q;
  logic                           ent_drain_q;
  logic                           ent_first_q;
  logic [RvBits-1:0]              ent_addr_q;
  logic                           halo_h_we_q;
  logic [YBits:0]                 halo_h_waddr_q;
  logic                           halo_v_we_q;
  logic [XBits:0]                 halo_v_waddr_q;
  logic [FillBits-1:0]            fill_limit_q;
  logic                           load_hit_q;
  logic [3:0]                     load_target_q;
  /* verilator lint_off UNUSEDSIGNAL */  // record width; a build uses the bits its memories need
  logic [23:0]                    load_addr_q;
  logic [23:0]                    load_data_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [7:0]                     cfg_alpha_q;
  logic [7:0]                     cfg_beta_q;
  logic [3:0]                     cfg_shift_q;
  logic [24:0]                    cfg_overflow_q;
  logic [15:0]                    cfg_data_cap_q;
  logic [15:0]                    cfg_s_outside_q;
  logic                           cfg_squared_q;
  logic                           cfg_value_q;
  logic                           cfg_cost_q;
  logic [1:0]                     cfg_pair_form_q;
  logic [7:0]                     cfg_pair_cap_q;
  logic                           rst_nq;
  logic [3:0]                     axis_neighbours_q;
  logic                           axis_inside_q;
  logic [Spus-1:0]                axis_outside_q;
  logic                            rng_valid_q, rng_last_q;
  logic [Words*UBits-1:0]         rng_data_q;

  logic                           thr_load_1_q;
  logic [PBits*(EnergyBits+1)-1:0] thr_1_q;
  // The widths of what follows, added up (113 bits in ports of fixed width): Icarus knows no $bits of ports in a range.
  localparam int ControlBits =
    113 + 4*BankBits + 2 * YBits + 2 * XBits + 4 * Spus + 2 * RvBits + Spus*S2Bits + RotBits + 2*Spus +
    CostBits + 3 * LabelBits + VxBits + VyBits + EntryBits + 2 * WBufBits + 2 * LaneBits + BankBits + FillBits;
  logic [ControlBits-1:0]         control_1_q;

  always_ff @(posedge clk_i) begin
    control_1_q <= {
      lab_raddr_i, halo_h_raddr_i, halo_v_raddr_i, sw_bank_i, sw_halo_i, nb_load_i, nb_xfer_i, s1_raddr_i,
      s1_load_i, s1_xfer_i, keep_waddr_i, s2_raddr_i, s2_rot_i, s2_dirx_i, s2_diry_i, s2_value_i, cost_raddr_i,
      own_label_i, own_vx_i, own_vy_i, e_we_i, e_first_i, e_waddr_i, min_hold_i, e_raddr_i, entry_i, w_we_i,
      w_first_i, w_waddr_i, sum_hold_i, u_raddr_i, mul_lane_i, r_load_i, w_raddr_i, rem_first_i, cnt_first_i,
      sel_hold_i, keep_raddr_i, wb_lane_i, wb_load_i, lab_we_i, lab_waddr_i, ent_valid_i, ent_drain_i,
      ent_first_i, ent_addr_i, halo_h_we_i, halo_h_waddr_i, halo_v_we_i, halo_v_waddr_i, fill_limit_i,
      load_hit_i, load_target_i, load_addr_i, load_data_i, axis_neighbours_i, axis_inside_i, axis_outside_i
    };
    {
      lab_raddr_q, halo_h_raddr_q, halo_v_raddr_q, sw_bank_q, sw_halo_q, nb_load_q, nb_xfer_q, s1_raddr_q,
      s1_load_q, s1_xfer_q, keep_waddr_q, s2_raddr_q, s2_rot_q, s2_dirx_q, s2_diry_q, s2_value_q, cost_raddr_q,
      own_label_q, own_vx_q, own_vy_q, e_we_q, e_first_q, e_waddr_q, min_hold_q, e_raddr_q, entry_q, w_we_q,
      w_first_q, w_waddr_q, sum_hold_q, u_raddr_q, mul_lane_q, r_load_q, w_raddr_q, rem_first_q, cnt_first_q,
      sel_hold_q, keep_raddr_q, wb_lane_q, wb_load_q, lab_we_q, lab_waddr_q, ent_valid_q, ent_drain_q,
      ent_first_q, ent_addr_q, halo_h_we_q, halo_h_waddr_q, halo_v_we_q, halo_v_waddr_q, fill_limit_q,
      load_hit_q, load_target_q, load_addr_q, load_data_q, axis_neighbours_q, axis_inside_q, axis_outside_q
    } <= control_1_q;

    thr_load_1_q <= thr_load_i;
    thr_1_q      <= thr_i;
    if (thr_load_1_q) thr_q <= thr_1_q;

    cfg_alpha_q       <= cfg_alpha_i;
    cfg_beta_q        <= cfg_beta_i;
    cfg_shift_q       <= cfg_shift_i;
    cfg_overflow_q    <= cfg_overflow_i;
    cfg_data_cap_q    <= cfg_data_cap_i;
    cfg_s_outside_q   <= cfg_s_outside_i;
    cfg_squared_q     <= cfg_squared_i;
    cfg_value_q       <= cfg_s2_mode_i == 2'd1;
    cfg_cost_q        <= cfg_s2_mode_i == 2'd2;
    cfg_pair_form_q   <= cfg_pair_form_i;
    cfg_pair_cap_q    <= cfg_pair_cap_i;
    rst_nq            <= rst_ni;
    rng_valid_q       <= rng_valid_i;
    rng_last_q        <= rng_last_i;
    rng_data_q        <= rng_data_i;
  end

  // ---------------------------------------------------------------- neighbours: labels and their vectors
  logic [4*LabelBits-1:0] banks, neighbours, neighbours_d;
  logic [LabelBits-1:0]   halo_h, halo_v, halo_h_wdata, halo_v_wdata, wb_label_q, lab_wdata;
  logic                   halo_h_we, halo_v_we, keep_wb_q;
  logic [3:0]             lab_we;
  logic [4*VecBits-1:0]   vectors;

  // A record is written where it is meant to go; a copy where a neighbour has written.
  assign lab_we       = lab_we_q & {4{wb_load_q ? load_hit_q : !keep_wb_q}};
  assign lab_wdata    = wb_load_q ? load_data_q[LabelBits-1:0] : wb_label_q;
  assign halo_h_we    = halo_h_we_q && (wb_load_q ? load_hit_q :
                        halo_h_waddr_q[YBits] ? label_right_i[LabelBits] : label_left_i[LabelBits]);
  assign halo_h_wdata = wb_load_q ? load_data_q[LabelBits-1:0] :
                        halo_h_waddr_q[YBits] ? label_right_i[LabelBits-1:0] : label_left_i[LabelBits-1:0];
  assign halo_v_we    = halo_v_we_q && (wb_load_q ? load_hit_q :
                        halo_v_waddr_q[XBits] ? label_down_i[LabelBits] : label_up_i[LabelBits]);
  assign halo_v_wdata = wb_load_q ? load_data_q[LabelBits-1:0] :
                        halo_v_waddr_q[XBits] ? label_down_i[LabelBits-1:0] : label_up_i[LabelBits-1:0];
  always_ff @(posedge clk_i) label_link_o <= {(lab_we_q != '0) && !keep_wb_q, wb_label_q};

  spa_label_mem #(
    .LabelBits(LabelBits), .RvCapacity(RvCapacity), .TileWidthMax(TileWidthMax), .TileHeightMax(TileHeightMax)
  ) u_label_mem (
    .clk_i,
    .we_i(lab_we), .waddr_i(lab_waddr_q), .wdata_i(lab_wdata),
    .halo_h_we_i(halo_h_we), .halo_h_waddr_i(halo_h_waddr_q), .halo_h_wdata_i(halo_h_wdata),
    .halo_v_we_i(halo_v_we), .halo_v_waddr_i(halo_v_waddr_q), .halo_v_wdata_i(halo_v_wdata),
    .raddr_i(lab_raddr_q), .rdata_o(banks),
    .halo_h_raddr_i(halo_h_raddr_q), .halo_h_rdata_o(halo_h),
    .halo_v_raddr_i(halo_v_raddr_q), .halo_v_rdata_o(halo_v)
  );

  spa_label_switch #(.LabelBits(LabelBits)) u_label_switch (
    .clk_i,
    .banks_i(banks), .bank_i(sw_bank_q),
    .halo_i(sw_halo_q), .halo_h_i(halo_h), .halo_v_i(halo_v),
    .labels_o(neighbours)
  );
  assign rd_label_o = neighbours[LabelBits-1:0];

  spa_vector_mem #(.LabelBits(LabelBits)) u_vector_mem (
    .clk_i,
    .we_i(load_hit_q && load_target_q == TargetVector), .waddr_i(load_addr_q[LabelBits-1:0]),
    .wdata_i({load_data_q[8 +: VyBits], load_data_q[VxBits-1:0]}),
    .labels_i(neighbours), .vectors_o(vectors)
  );
  if (PairTable) begin : g_pair_labels
    spa_delay #(.Width(4 * LabelBits), .Stages(2)) u_labels (
      .clk_i, .data_i(neighbours), .data_o(neighbours_d)
    );
  end else begin : g_no_pair_labels
    assign neighbours_d = '0;
  end

  // ---------------------------------------------------------------- singletons
  logic [SingletonBits-1:0] s1;
  logic                     fixed;
  logic [LinkBits-1:0]      s2_banks, s2;

  spa_s1mem #(.SingletonBits(SingletonBits), .RvCapacity(RvCapacity)) u_s1mem (
    .clk_i,
    .we_i(load_hit_q && load_target_q == TargetS1), .waddr_i(load_addr_q[RvBits-1:0]),
    .wfixed_i(load_data_q[8]), .ws1_i(load_data_q[SingletonBits-1:0]),
    .raddr_i(s1_raddr_q), .fixed_o(fixed), .s1_o(s1)
  );

  spa_s2mem #(.Spus(Spus), .SingletonBits(SingletonBits), .S2Capacity(S2Capacity)) u_s2mem (
    .clk_i,
    .we_i(load_hit_q && load_target_q == TargetS2), .waddr_i(load_addr_q[S2AddrBits-1:0]),
    .wdata_i(load_data_q[SingletonBits-1:0]),
    .raddr_i(s2_raddr_q), .rdata_o(s2_banks)
  );

  spa_s2_switch #(.Spus(Spus), .SingletonBits(SingletonBits), .S2Links(S2Links)) u_s2_switch (
    .clk_i,
    .banks_i(s2_banks), .rot_i(s2_rot_q),
    .left_i(s2_left_i), .right_i(s2_right_i), .up_i(s2_up_i), .down_i(s2_down_i),
    .horizontal_o(s2_horizontal_o), .vertical_o(s2_vertical_o),
    .dirx_i(s2_dirx_q), .diry_i(s2_diry_q),
    .use_value_i(cfg_value_q), .value_i(s2_value_q[SingletonBits-1:0]),
    .s2_o(s2)
  );

  logic [16*Spus-1:0] cost;
  if (SingletonTable) begin : g_cost
    for (genvar j = 0; j < Spus; j++) begin : g_bank
      logic bank_hit;
      if (Spus > 1) begin : g_select
        assign bank_hit = int'(load_addr_q[LogK-1:0]) == j;
      end else begin : g_all
        assign bank_hit = 1'b1;
      end
      spa_ram_1r1w #(.Width(16), .Depth(CostCapacity / Spus)) u_cost (
        .clk_i,
        .we_i(load_hit_q && load_target_q == TargetCost && bank_hit),
        .waddr_i(load_addr_q[LogK +: CostBits]), .wdata_i(load_data_q[15:0]),
        .raddr_i(cost_raddr_q), .rdata_o(cost[16*j +: 16])
      );
    end
  end else begin : g_no_cost
    logic unused_cost;
    assign unused_cost = ^cost_raddr_q;
    assign cost        = '0;
  end

  // ---------------------------------------------------------------- edge weights
  logic [15:0]     edge_weights;
  logic [Spus-1:0] edge_load;
  logic            edge_xfer;
  if (EdgeWeights) begin : g_edge_mem
    spa_edge_mem #(.Spus(Spus), .RvCapacity(RvCapacity)) u_edge_mem (
      .clk_i,
      .we_i(load_hit_q && load_target_q == TargetEdge), .waddr_i(load_addr_q[RvBits-1:0]),
      .wdata_i(load_data_q[15:0]),
      .s1_raddr_i(s1_raddr_q), .s1_load_i(s1_load_q), .s1_xfer_i(s1_xfer_q),
      .weights_o(edge_weights), .load_o(edge_load), .xfer_o(edge_xfer)
    );
  end else begin : g_no_edge_mem
    assign edge_weights = '0;
    assign edge_load    = '0;
    assign edge_xfer    = 1'b0;
  end

  // ---------------------------------------------------------------- SPUs and the buffers between their passes
  logic [Spus*EnergyBits-1:0] e, e_again;
  logic [Spus*PBits-1:0]      w, w_again;
  logic [Spus*SumBits-1:0]    sums;
  logic [Spus*LabelBits-1:0]  labels;
  logic [Spus-1:0]            keep;
  logic [SumBits-1:0]         r;

  for (genvar j = 0; j < Spus; j++) begin : g_spu
    spa_spu #(
      .LabelBits(LabelBits), .SingletonBits(SingletonBits), .EnergyBits(EnergyBits), .PBits(PBits),
      .ScheduleEntries(ScheduleEntries), .Linear(Linear), .PairTable(PairTable),
      .SingletonTable(SingletonTable), .EdgeWeights(EdgeWeights)
    ) u_spu (
      .clk_i,
      .cfg_alpha_i(cfg_alpha_q), .cfg_beta_i(cfg_beta_q), .cfg_shift_i(cfg_shift_q),
      .cfg_overflow_i(cfg_overflow_q), .cfg_data_cap_i(cfg_data_cap_q), .cfg_s_outside_i(cfg_s_outside_q),
      .cfg_squared_i(cfg_squared_q), .cfg_cost_i(cfg_cost_q), .cfg_pair_form_i(cfg_pair_form_q),
      .cfg_pair_cap_i(cfg_pair_cap_q),
      .table_we_i(load_hit_q && load_target_q == TargetWeight), .table_waddr_i(load_addr_q[TableBits-1:0]),
      .table_wdata_i(load_data_q[PBits-1:0]),
      .pair_we_i(load_hit_q && load_target_q == TargetPair), .pair_waddr_i(load_addr_q[2*LabelBits-1:0]),
      .pair_wdata_i(load_data_q[7:0]),
      .nb_load_i(nb_load_q[j]), .nb_xfer_i(nb_xfer_q), .nb_valid_i(axis_neighbours_q),
      .nb_vector_i(vectors), .nb_label_i(neighbours_d),
      .s1_load_i(s1_load_q[j]), .s1_xfer_i(s1_xfer_q), .keep_i(fixed || !axis_inside_q), .s1_i(s1),
      .keep_o(keep[j]),
      .edge_load_i(edge_load[j]), .edge_xfer_i(edge_xfer), .edge_weights_i(edge_weights),
      .own_label_i(own_label_q), .own_vx_i(own_vx_q), .own_vy_i(own_vy_q),
      .s2_i(s2[j*SingletonBits +: SingletonBits]), .outside_i(axis_outside_q[j]), .cost_i(cost[16*j +: 16]),
      .e_first_i(e_first_q), .min_hold_i(min_hold_q), .e_o(e[j*EnergyBits +: EnergyBits]),
      .e_again_i(e_again[j*EnergyBits +: EnergyBits]), .thr_i(thr_q), .entry_i(entry_q),
      .w_first_i(w_first_q), .w_o(w[j*PBits +: PBits]),
      .sum_hold_i(sum_hold_q), .sum_o(sums[j*SumBits +: SumBits]),
      .r_load_i(r_load_q[j]), .r_i(r),
      .rem_first_i(rem_first_q), .cnt_first_i(cnt_first_q), .w_again_i(w_again[j*PBits +: PBits]),
      .sel_hold_i(sel_hold_q), .label_o(labels[j*LabelBits +: LabelBits])
    );
  end

  // Energies are read before the next slot's take their places: as many words as labels are enough.
  spa_ram_1r1w #(.Width(Spus * EnergyBits), .Depth(2 ** LabelBits)) u_energies (
    .clk_i,
    .we_i(e_we_q), .waddr_i(e_waddr_q), .wdata_i(e),
    .raddr_i(e_raddr_q), .rdata_o(e_again)
  );
  // Weights stay for the multiplication: L + Spus + 5 words.
  spa_weight_buffer #(.Spus(Spus), .LabelBits(LabelBits), .PBits(PBits), .Linear(Linear)) u_weights (
    .clk_i,
    .we_i(w_we_q), .waddr_i(w_waddr_q), .wdata_i(w),
    .raddr_i(w_raddr_q), .rdata_o(w_again)
  );

  spa_draw #(.Spus(Spus), .LabelBits(LabelBits), .PBits(PBits), .UBits(UBits)) u_draw (
    .clk_i, .rst_ni(rst_nq),
    .rng_valid_i(rng_valid_q), .rng_last_i(rng_last_q), .rng_data_i(rng_data_q),
    .sum_hold_i(sum_hold_q), .u_raddr_i(u_raddr_q), .lane_i(mul_lane_q), .sums_i(sums),
    .r_o(r)
  );

  // ---------------------------------------------------------------- write-back
  logic [Spus-1:0] keep_head, keep_held_q;
  spa_lutram_1r1w #(.Width(Spus), .Depth(32)) u_keep (
    .clk_i,
    .we_i(s1_xfer_q), .waddr_i(keep_waddr_q), .wdata_i(keep),
    .raddr_i(keep_raddr_q), .rdata_o(keep_head)
  );
  always_ff @(posedge clk_i) if (sel_hold_q) keep_held_q <= keep_head;

  if (Spus > 1) begin : g_lanes
    always_ff @(posedge clk_i) begin
      wb_label_q <= labels[int'(wb_lane_q)*LabelBits +: LabelBits];
      keep_wb_q  <= keep_held_q[wb_lane_q];
    end
  end else begin : g_one
    logic unused_lane;
    assign unused_lane = ^wb_lane_q;
    always_ff @(posedge clk_i) begin
      wb_label_q <= labels;
      keep_wb_q  <= keep_held_q;
    end
  end

  // ---------------------------------------------------------------- label entry and log
  logic                   push;
  logic [PayloadBits-1:0] message;
  logic [FillBits-1:0]    fill;

  spa_entry_mem #(.LabelBits(LabelBits), .CountBits(CountBits), .RvCapacity(RvCapacity)) u_entry_mem (
    .clk_i, .rst_ni(rst_nq),
    .valid_i(ent_valid_q), .drain_i(ent_drain_q), .first_i(ent_first_q), .keep_i(keep_wb_q),
    .addr_i(ent_addr_q), .label_i(wb_label_q),
    .push_o(push), .message_o(message)
  );

  spa_log_fifo #(.Width(PayloadBits), .Depth(LogFifoDepth)) u_log_fifo (
    .clk_i, .rst_ni(rst_nq),
    .push_i(push), .data_i(message), .fill_o(fill),
    .valid_o(msg_valid_o), .data_o(msg_data_o), .ready_i(msg_ready_i)
  );

  always_ff @(posedge clk_i) begin
    full_o <= fill >= fill_limit_q;
    sent_o <= push;
  end

endmodule
