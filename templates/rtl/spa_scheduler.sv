// spa_scheduler: walks rows, groups and labels and times the passes of all SPEs (Scheduler)
//
// All SPEs run in lockstep on equal local addresses, so the walk is made once and broadcast through registers. A
// SPE uses every output one cycle later, behind its input register.

module spa_scheduler #(
  parameter int Spus            = 2,
  parameter int LabelBits       = 6,
  parameter int EnergyBits      = 8,
  parameter int PBits           = 8,
  parameter int RvCapacity      = 8192,
  parameter int S2Capacity      = 8192,
  parameter int TileWidthMax    = 128,
  parameter int TileHeightMax   = 128,
  parameter int ScheduleEntries = 64,
  parameter bit S2Links         = 1'b1,
  parameter bit Linear          = 1'b0,
  parameter bit SingletonTable  = 1'b0,
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
  localparam int SampleBits     = 18
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  // Load bus, from registers
  input  logic                            load_valid_i,
  input  logic [3:0]                      load_target_i,
  input  logic [23:0]                     load_addr_i,
  input  logic [23:0]                     load_data_i,

  // Configuration
  input  logic [15:0]                     cfg_tile_width_i,
  input  logic [15:0]                     cfg_tile_height_i,
  input  logic [8:0]                      cfg_labels_i,
  input  logic                            cfg_s2_replicate_i,
  input  logic [15:0]                     cfg_s2_stride_i,
  input  logic [23:0]                     cfg_s2_wrap_i,
  input  logic [11:0]                     cfg_margin_left_i,
  input  logic [11:0]                     cfg_margin_up_i,
  input  logic [23:0]                     cfg_s2_margin_base_i,

  // Slots, from registers
  input  logic                            slot_valid_i,
  input  logic                            slot_half_start_i,
  input  logic                            slot_colour_i,
  input  logic                            slot_collect_i,
  input  logic                            slot_first_i,
  input  logic [15:0]                     slot_row0_i,
  input  logic [23:0]                     slot_row0_base_i,
  input  logic [7:0]                      slot_entry_i,
  output logic                            idle_o,

  // Drain, stall
  input  logic                            drain_start_i,
  output logic                            drain_done_o,
  input  logic                            stall_i,

  // Label readback, from registers
  input  logic                            rd_valid_i,
  input  logic [BankBits+1:0]             rd_addr_i,

  // Axes of the grid: position (1), column and row of a RV (2 + SPU), sample of SPU 0 (Spus + 3 + label)
  output logic                            pos_valid_o,
  output logic                            pos_colour_o,
  output logic                            pos_odd_o,     // bit 1 of the column
  output logic [XBits-1:0]                axis_x_o,
  output logic [YBits-1:0]                axis_y_o,
  output logic [SampleBits-1:0]           sample_x_o,
  output logic [SampleBits-1:0]           sample_y_o,

  // Reads of neighbours
  output logic [4*BankBits-1:0]           lab_raddr_o,
  output logic [YBits:0]                  halo_h_raddr_o,
  output logic [XBits:0]                  halo_v_raddr_o,
  output logic [1:0]                      sw_bank_o,
  output logic [3:0]                      sw_halo_o,
  output logic [Spus-1:0]                 nb_load_o,
  output logic                            nb_xfer_o,

  // S1Mem
  output logic [RvBits-1:0]               s1_raddr_o,
  output logic [Spus-1:0]                 s1_load_o,
  output logic                            s1_xfer_o,
  output logic [4:0]                      keep_waddr_o,

  // Label walk
  output logic [Spus*S2Bits-1:0]          s2_raddr_o,
  output logic [RotBits-1:0]              s2_rot_o,
  output logic [2*Spus-1:0]               s2_dirx_o,
  output logic [1:0]                      s2_diry_o,
  output logic [7:0]                      s2_value_o,
  output logic [CostBits-1:0]             cost_raddr_o,
  output logic [LabelBits-1:0]            own_label_o,
  output logic [VxBits-1:0]               own_vx_o,
  output logic [VyBits-1:0]               own_vy_o,

  // Passes 1 and 2
  output logic                            e_we_o,
  output logic                            e_first_o,
  output logic [LabelBits-1:0]            e_waddr_o,
  output logic                            min_hold_o,
  output logic [LabelBits-1:0]            e_raddr_o,
  output logic                            thr_load_o,
  output logic [PBits*(EnergyBits+1)-1:0] thr_o,
  output logic [EntryBits-1:0]            entry_o,
  output logic                            w_we_o,
  output logic                            w_first_o,
  output logic [WBufBits-1:0]             w_waddr_o,

  // Multiplication and pass 3
  output logic                            sum_hold_o,
  output logic [3:0]                      u_raddr_o,
  output logic [LaneBits-1:0]             mul_lane_o,
  output logic [Spus-1:0]                 r_load_o,
  output logic [WBufBits-1:0]             w_raddr_o,
  output logic                            rem_first_o,
  output logic                            cnt_first_o,
  output logic                            sel_hold_o,
  output logic [4:0]                      keep_raddr_o,
  output logic [LaneBits-1:0]             wb_lane_o,

  // Write-back and drain
  output logic                            wb_load_o,
  output logic [3:0]                      lab_we_o,
  output logic [BankBits-1:0]             lab_waddr_o,
  output logic                            ent_valid_o,
  output logic                            ent_drain_o,
  output logic                            ent_first_o,
  output logic [RvBits-1:0]               ent_addr_o,
  output logic                            halo_h_we_o,
  output logic [YBits:0]                  halo_h_waddr_o,
  output logic                            halo_v_we_o,
  output logic [XBits:0]                  halo_v_waddr_o,
  output logic [FillBits-1:0]             fill_limit_o
);

  // ---------------------------------------------------------------- slot
  logic                pos_collect_q, pos_first_q;
  logic [XBits-1:0]    pos_x;
  logic [YBits-1:0]    pos_y;
  logic [RvBits-1:0]   pos_row;
  logic [BankBits-1:0] pos_word;
  logic [S2Bits-1:0]   pos_s2;
  logic [CostBits-1:0] pos_cost;
  logic [RvBits:0]     rv_count;

  assign pos_odd_o = pos_x[1];

  always_ff @(posedge clk_i) begin
    if (slot_valid_i) begin
      pos_collect_q <= slot_collect_i;
      pos_first_q   <= slot_first_i;
    end
  end

  spa_slot_walk #(
    .Spus(Spus), .RvCapacity(RvCapacity), .S2Capacity(S2Capacity), .TileWidthMax(TileWidthMax),
    .TileHeightMax(TileHeightMax), .CostCapacity(CostCapacity), .SingletonTable(SingletonTable)
  ) u_slot_walk (
    .clk_i, .rst_ni,
    .cfg_tile_width_i, .cfg_tile_height_i, .cfg_labels_i, .cfg_s2_stride_i,
    .slot_valid_i, .slot_half_start_i, .slot_colour_i, .slot_row0_i, .slot_row0_base_i,
    .pos_valid_o, .pos_colour_o, .pos_x_o(pos_x), .pos_y_o(pos_y),
    .pos_row_o(pos_row), .pos_word_o(pos_word), .pos_s2_o(pos_s2), .pos_cost_o(pos_cost),
    .rv_count_o(rv_count),
    .lab_raddr_o, .halo_h_raddr_o, .halo_v_raddr_o, .sw_bank_o, .sw_halo_o,
    .nb_load_o, .nb_xfer_o, .s1_raddr_o, .s1_load_o, .s1_xfer_o,
    .axis_x_o, .axis_y_o,
    .rd_valid_i, .rd_addr_i
  );

  // Flags of evidence and padding wait in the SPEs from S1Mem to the write-back.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      keep_waddr_o <= '0;
      keep_raddr_o <= '0;
    end else begin
      if (s1_xfer_o)  keep_waddr_o <= keep_waddr_o + 1'b1;
      if (sel_hold_o) keep_raddr_o <= keep_raddr_o + 1'b1;
    end
  end

  // ---------------------------------------------------------------- labels
  logic walk_start, walk_valid, walk_first, walk_last;
  spa_delay #(.Width(1), .Stages(Spus - 1)) u_walk_start (
    .clk_i, .data_i(slot_valid_i), .data_o(walk_start)
  );

  spa_label_walk #(
    .Spus(Spus), .LabelBits(LabelBits), .S2Capacity(S2Capacity), .TileWidthMax(TileWidthMax),
    .TileHeightMax(TileHeightMax), .CostCapacity(CostCapacity), .S2Links(S2Links),
    .SingletonTable(SingletonTable)
  ) u_label_walk (
    .clk_i, .rst_ni,
    .load_valid_i, .load_target_i, .load_addr_i(load_addr_i[LabelBits:0]), .load_data_i,
    .cfg_labels_i, .cfg_s2_replicate_i, .cfg_tile_width_i, .cfg_tile_height_i, .cfg_s2_wrap_i,
    .cfg_margin_left_i, .cfg_margin_up_i, .cfg_s2_margin_base_i,
    .start_i(walk_start), .pos_x_i(pos_x), .pos_y_i(pos_y), .pos_s2_i(pos_s2), .pos_cost_i(pos_cost),
    .walk_valid_o(walk_valid), .walk_first_o(walk_first), .walk_last_o(walk_last),
    .sample_x_o, .sample_y_o,
    .s2_raddr_o, .s2_rot_o, .s2_dirx_o, .s2_diry_o, .s2_value_o, .cost_raddr_o,
    .label_o(own_label_o), .vx_o(own_vx_o), .vy_o(own_vy_o)
  );

  // ---------------------------------------------------------------- passes
  logic                wb_pop, wb_valid, wb_retire;
  logic [LaneBits-1:0] wb_lane;

  spa_pass_ctrl #(
    .Spus(Spus), .LabelBits(LabelBits), .EnergyBits(EnergyBits), .PBits(PBits),
    .ScheduleEntries(ScheduleEntries), .Linear(Linear)
  ) u_pass_ctrl (
    .clk_i, .rst_ni,
    .load_valid_i, .load_target_i, .load_addr_i, .load_data_i,
    .cfg_labels_i,
    .slot_valid_i, .slot_entry_i,
    .walk_valid_i(walk_valid), .walk_first_i(walk_first), .walk_last_i(walk_last),
    .e_we_o, .e_first_o, .e_waddr_o, .min_hold_o,
    .e_raddr_o, .thr_load_o, .thr_o, .entry_o, .w_we_o, .w_first_o, .w_waddr_o,
    .sum_hold_o, .u_raddr_o, .mul_lane_o, .r_load_o,
    .w_raddr_o, .rem_first_o, .cnt_first_o, .sel_hold_o,
    .wb_pop_o(wb_pop), .wb_valid_o(wb_valid), .wb_lane_o(wb_lane), .wb_retire_o(wb_retire)
  );

  // ---------------------------------------------------------------- write-back
  spa_write_ctrl #(
    .Spus(Spus), .RvCapacity(RvCapacity), .TileWidthMax(TileWidthMax), .TileHeightMax(TileHeightMax),
    .LogFifoDepth(LogFifoDepth)
  ) u_write_ctrl (
    .clk_i, .rst_ni,
    .cfg_tile_width_i, .cfg_tile_height_i,
    .load_valid_i, .load_target_i, .load_addr_i,
    .slot_valid_i, .pos_valid_i(pos_valid_o), .pos_colour_i(pos_colour_o),
    .pos_collect_i(pos_collect_q), .pos_first_i(pos_first_q),
    .pos_x_i(pos_x), .pos_y_i(pos_y), .pos_row_i(pos_row), .pos_word_i(pos_word),
    .wb_pop_i(wb_pop), .wb_valid_i(wb_valid), .wb_lane_i(wb_lane), .wb_retire_i(wb_retire),
    .wb_lane_o,
    .wb_load_o, .lab_we_o, .lab_waddr_o, .ent_valid_o, .ent_drain_o, .ent_first_o, .ent_addr_o,
    .halo_h_we_o, .halo_h_waddr_o, .halo_v_we_o, .halo_v_waddr_o,
    .drain_start_i, .drain_done_o, .rv_count_i(rv_count),
    .stall_i, .fill_limit_o, .idle_o
  );

endmodule
