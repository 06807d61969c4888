// spa_pass_ctrl: when passes 1 to 3 and the write-back of a slot take place (Scheduler)
//
// Outputs are used by a SPE one cycle later, behind its input register. All buffers between the passes are read and
// written in the order of labels, so free-running pointers are their addresses.

module spa_pass_ctrl #(
  parameter int Spus            = 2,
  parameter int LabelBits       = 6,
  parameter int EnergyBits      = 8,
  parameter int PBits           = 8,
  parameter int ScheduleEntries = 64,
  parameter bit Linear          = 1'b0,
  localparam int WBufBits       = LabelBits + 1 > 5 ? LabelBits + 1 : 5,
  localparam int EntryBits      = $clog2(ScheduleEntries),
  localparam int LaneBits       = Spus > 1 ? $clog2(Spus) : 1
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  // Load bus: thresholds
  input  logic                            load_valid_i,
  input  logic [3:0]                      load_target_i,
  /* verilator lint_off UNUSEDSIGNAL */  // register width; a build uses the bits its memories need
  input  logic [23:0]                     load_addr_i,
  input  logic [23:0]                     load_data_i,
  /* verilator lint_on UNUSEDSIGNAL */

  input  logic [8:0]                      cfg_labels_i,

  // Slot: schedule entry; label walk
  input  logic                            slot_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // register width; a build uses the bits its memories need
  input  logic [7:0]                      slot_entry_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                            walk_valid_i,
  input  logic                            walk_first_i,
  input  logic                            walk_last_i,

  // Pass 1
  output logic                            e_we_o,
  output logic                            e_first_o,
  output logic [LabelBits-1:0]            e_waddr_o,
  output logic                            min_hold_o,

  // Pass 2
  output logic [LabelBits-1:0]            e_raddr_o,
  output logic                            thr_load_o,
  output logic [PBits*(EnergyBits+1)-1:0] thr_o,
  output logic [EntryBits-1:0]            entry_o,
  output logic                            w_we_o,
  output logic                            w_first_o,
  output logic [WBufBits-1:0]             w_waddr_o,

  // r = (u * sum) >> UBits, one SPU a cycle
  output logic                            sum_hold_o,
  output logic [3:0]                      u_raddr_o,
  output logic [LaneBits-1:0]             mul_lane_o,
  output logic [Spus-1:0]                 r_load_o,

  // Pass 3
  output logic [WBufBits-1:0]             w_raddr_o,
  output logic                            rem_first_o,
  output logic                            cnt_first_o,
  output logic                            sel_hold_o,

  // Write-back: `pop` takes the slot's record, then one SPU a cycle
  output logic                            wb_pop_o,
  output logic                            wb_valid_o,
  output logic [LaneBits-1:0]             wb_lane_o,
  output logic                            wb_retire_o
);

  localparam int ThrBits = EnergyBits + 1;
  // Words of spa_weight_buffer
  localparam int WWords  = LabelBits >= 4 && LabelBits <= 6 ? 2 ** LabelBits + 16 : 2 ** WBufBits;
  localparam logic [3:0] TargetWeight = 4'd8;

  logic [LabelBits-1:0] last_label_q;
  always_ff @(posedge clk_i) last_label_q <= LabelBits'(cfg_labels_i - 9'd1);

  // ---------------------------------------------------------------- pass 1: 22 cycles after the walk
  logic walk_last_20, walk_last_21_q, walk_last_22_q, walk_last_23_q;
  spa_delay #(.Width(2), .Stages(22)) u_walk (
    .clk_i, .data_i({walk_valid_i, walk_first_i}), .data_o({e_we_o, e_first_o})
  );
  spa_delay #(.Width(1), .Stages(20)) u_walk_last (.clk_i, .data_i(walk_last_i), .data_o(walk_last_20));

  always_ff @(posedge clk_i) begin
    walk_last_21_q <= walk_last_20;
    walk_last_22_q <= walk_last_21_q;
    walk_last_23_q <= walk_last_22_q;
    if (!rst_ni)     e_waddr_o <= '0;
    else if (e_we_o) e_waddr_o <= e_waddr_o + 1'b1;
  end
  assign min_hold_o = walk_last_23_q;

  // ---------------------------------------------------------------- schedule entry and thresholds
  // One entry a slot in flight; at most 28 slots are.
  logic [4:0]           entry_wptr_q, entry_rptr_q;
  logic [EntryBits-1:0] entry_head, entry_q;

  spa_lutram_1r1w #(.Width(EntryBits), .Depth(32)) u_entry (
    .clk_i,
    .we_i   (slot_valid_i), .waddr_i(entry_wptr_q), .wdata_i(EntryBits'(slot_entry_i)),
    .raddr_i(entry_rptr_q), .rdata_o(entry_head)
  );
  always_ff @(posedge clk_i) begin
    if (walk_last_21_q) entry_q <= entry_head;
    if (!rst_ni) begin
      entry_wptr_q <= '0;
      entry_rptr_q <= '0;
    end else begin
      if (slot_valid_i)   entry_wptr_q <= entry_wptr_q + 1'b1;
      if (walk_last_21_q) entry_rptr_q <= entry_rptr_q + 1'b1;
    end
  end

  // The entry is known with the last label of pass 1; its thresholds must be in the SPEs 3 cycles later.
  spa_delay #(.Width(1), .Stages(3)) u_thr_load (.clk_i, .data_i(walk_last_22_q), .data_o(thr_load_o));
  spa_delay #(.Width(EntryBits), .Stages(3)) u_entry_d (.clk_i, .data_i(entry_q), .data_o(entry_o));

  if (Linear) begin : g_linear
    assign thr_o = '0;
    logic unused_load;
    assign unused_load = ^{load_valid_i, load_target_i, load_addr_i, load_data_i};
  end else begin : g_pow2
    logic [PBits*ThrBits-1:0] thr;
    spa_threshold_mem #(.PBits(PBits), .ThrBits(ThrBits), .Entries(ScheduleEntries)) u_thresholds (
      .clk_i,
      .we_i   (load_valid_i && load_target_i == TargetWeight), .wlane_i(load_addr_i[3:0]),
      .waddr_i(load_addr_i[4 +: EntryBits]), .wdata_i(load_data_i[ThrBits-1:0]),
      .raddr_i(entry_q), .rdata_o(thr)
    );
    spa_delay #(.Width(PBits * ThrBits), .Stages(1)) u_out (.clk_i, .data_i(thr), .data_o(thr_o));
  end

  // ---------------------------------------------------------------- pass 2
  logic                 p2_valid_q, p2_first_q, p2_last;
  logic [LabelBits-1:0] p2_label_q;
  assign p2_last = p2_valid_q && p2_label_q == last_label_q;

  always_ff @(posedge clk_i) begin
    p2_first_q <= walk_last_21_q;
    p2_label_q <= walk_last_21_q ? '0 : p2_label_q + 1'b1;
    if (!rst_ni)             p2_valid_q <= 1'b0;
    else if (walk_last_21_q) p2_valid_q <= 1'b1;
    else if (p2_last)        p2_valid_q <= 1'b0;
    if (!rst_ni)             e_raddr_o <= '0;
    else if (p2_valid_q)     e_raddr_o <= e_raddr_o + 1'b1;
  end

  // Weights leave 5 cycles after the energies are read.
  logic [8+Spus:0] p2_last_q;
  spa_delay #(.Width(2), .Stages(5)) u_p2 (
    .clk_i, .data_i({p2_valid_q, p2_first_q}), .data_o({w_we_o, w_first_o})
  );
  always_ff @(posedge clk_i) begin
    p2_last_q <= {p2_last_q[7+Spus:0], p2_last};
    if (!rst_ni)     w_waddr_o <= '0;
    else if (w_we_o) w_waddr_o <= int'(w_waddr_o) == WWords - 1 ? '0 : w_waddr_o + 1'b1;
  end

  // ---------------------------------------------------------------- multiplication
  logic                mul_valid_q;
  logic [LaneBits-1:0] mul_lane_q;
  assign sum_hold_o = p2_last_q[5];
  assign mul_lane_o = mul_lane_q;

  always_ff @(posedge clk_i) begin
    mul_valid_q <= sum_hold_o || (mul_valid_q && int'(mul_lane_q) != Spus - 1);
    mul_lane_q  <= sum_hold_o ? '0 : mul_lane_q + 1'b1;
    if (!rst_ni)         u_raddr_o <= '0;
    else if (sum_hold_o) u_raddr_o <= u_raddr_o + 1'b1;
  end
  logic [Spus-1:0] mul_hot;
  for (genvar j = 0; j < Spus; j++) begin : g_r_load
    assign mul_hot[j] = mul_valid_q && int'(mul_lane_q) == j;
  end
  spa_delay #(.Width(Spus), .Stages(5)) u_r_load (.clk_i, .data_i(mul_hot), .data_o(r_load_o));

  // ---------------------------------------------------------------- pass 3
  logic                 p3_valid_q, p3_first_q, p3_last, p3_start;
  logic [LabelBits-1:0] p3_label_q;
  assign p3_start = p2_last_q[8+Spus];
  assign p3_last  = p3_valid_q && p3_label_q == last_label_q;

  always_ff @(posedge clk_i) begin
    p3_first_q <= p3_start;
    p3_label_q <= p3_start ? '0 : p3_label_q + 1'b1;
    if (!rst_ni)         p3_valid_q <= 1'b0;
    else if (p3_start)   p3_valid_q <= 1'b1;
    else if (p3_last)    p3_valid_q <= 1'b0;
    if (!rst_ni)         w_raddr_o <= '0;
    else if (p3_valid_q) w_raddr_o <= int'(w_raddr_o) == WWords - 1 ? '0 : w_raddr_o + 1'b1;
  end
  spa_delay #(.Width(1), .Stages(2)) u_rem (.clk_i, .data_i(p3_first_q), .data_o(rem_first_o));
  spa_delay #(.Width(1), .Stages(1)) u_cnt (.clk_i, .data_i(rem_first_o), .data_o(cnt_first_o));
  spa_delay #(.Width(1), .Stages(3)) u_pop (.clk_i, .data_i(p3_last), .data_o(wb_pop_o));
  spa_delay #(.Width(1), .Stages(1)) u_sel (.clk_i, .data_i(wb_pop_o), .data_o(sel_hold_o));

  // ---------------------------------------------------------------- write-back
  always_ff @(posedge clk_i) begin
    wb_valid_o <= rst_ni && (wb_pop_o || (wb_valid_o && int'(wb_lane_o) != Spus - 1));
    wb_lane_o  <= wb_pop_o ? '0 : wb_lane_o + 1'b1;
  end

  // The slot has left when its messages are counted in the log FIFOs.
  spa_delay #(.Width(1), .Stages(9)) u_retire (
    .clk_i, .data_i(wb_valid_o && int'(wb_lane_o) == Spus - 1), .data_o(wb_retire_o)
  );

endmodule
