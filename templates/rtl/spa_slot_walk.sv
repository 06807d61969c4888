// spa_slot_walk: position of the slot and read addresses of its RVs (Scheduler)
//
// Cycle 0 is the cycle in which `slot_valid_i` is high here. Outputs named `..._o (n+j)` are valid in cycle
// n + j for SPU j; a SPE uses them one cycle later, behind its input register.

module spa_slot_walk #(
  parameter int Spus           = 2,
  parameter int RvCapacity     = 8192,
  parameter int S2Capacity     = 8192,
  parameter int TileWidthMax   = 128,
  parameter int TileHeightMax  = 128,
  parameter int CostCapacity   = 1024,
  parameter bit SingletonTable = 1'b0,
  localparam int XBits         = $clog2(TileWidthMax),
  localparam int YBits         = $clog2(TileHeightMax),
  localparam int RvBits        = $clog2(RvCapacity),
  localparam int BankBits      = $clog2(RvCapacity / 4),
  localparam int S2Bits        = $clog2(S2Capacity / Spus),
  localparam int CostBits      = $clog2(CostCapacity / Spus)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic [15:0]           cfg_tile_width_i,
  input  logic [15:0]           cfg_tile_height_i,
  input  logic [8:0]            cfg_labels_i,
  /* verilator lint_off UNUSEDSIGNAL */  // register width; a build uses the bits its memories need
  input  logic [15:0]           cfg_s2_stride_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // Slot, from registers
  input  logic                  slot_valid_i,
  input  logic                  slot_half_start_i,
  input  logic                  slot_colour_i,
  input  logic [15:0]           slot_row0_i,
  /* verilator lint_off UNUSEDSIGNAL */  // register width; a build uses the bits its memories need
  input  logic [23:0]           slot_row0_base_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // Position of the slot, from cycle 1 until the next slot
  output logic                  pos_valid_o,      // pulse in cycle 1
  output logic                  pos_colour_o,
  output logic [XBits-1:0]      pos_x_o,          // column of SPU 0
  output logic [YBits-1:0]      pos_y_o,
  output logic [RvBits-1:0]     pos_row_o,        // y * w
  output logic [BankBits-1:0]   pos_word_o,       // (y >> 1) * (w / 4)
  output logic [S2Bits-1:0]     pos_s2_o,         // y * s2_stride
  output logic [CostBits-1:0]   pos_cost_o,       // cost of label 0 (one cycle late)
  output logic [RvBits:0]       rv_count_o,       // w * h, once a half-step has ended

  // Reads: label banks (3+j), halos (4+j), label switch (5+j, 6+j), neighbours (9+j), S1Mem (9+j, 11+j)
  output logic [4*BankBits-1:0] lab_raddr_o,
  output logic [YBits:0]        halo_h_raddr_o,
  output logic [XBits:0]        halo_v_raddr_o,
  output logic [1:0]            sw_bank_o,
  output logic [3:0]            sw_halo_o,        // down, up, right, left
  output logic [Spus-1:0]       nb_load_o,
  output logic                  nb_xfer_o,        // cycle 9 + Spus
  output logic [RvBits-1:0]     s1_raddr_o,
  output logic [Spus-1:0]       s1_load_o,
  output logic                  s1_xfer_o,        // cycle 11 + Spus
  output logic [XBits-1:0]      axis_x_o,         // cycle 2 + j
  output logic [YBits-1:0]      axis_y_o,

  // Label readback (idle only): the left neighbour path carries the word
  input  logic                  rd_valid_i,
  input  logic [BankBits+1:0]   rd_addr_i
);

  localparam int LaneBits = Spus > 1 ? $clog2(Spus) : 1;
  localparam int Half     = RvCapacity / 8;

  // ---------------------------------------------------------------- walk
  logic [XBits-1:0]    group_x_q;      // first column of the group
  logic [YBits-1:0]    y_q;
  logic [RvBits-1:0]   row_q;
  logic [BankBits-1:0] word_q;
  logic [S2Bits-1:0]   s2_q, s2_next_q;
  logic                colour_q, valid_q, top_q, first_row_q;
  logic                row_end_q, field_end_q;

  logic [RvBits-1:0]   start_word;
  assign start_word = slot_row0_base_i[RvBits-1:0]
                    - (slot_row0_i[0] ? RvBits'(cfg_tile_width_i) : RvBits'(0));

  logic [S2Bits-1:0] s2_step;
  assign s2_step = s2_q + S2Bits'(cfg_s2_stride_i);

  always_ff @(posedge clk_i) begin
    // Slots are at least two cycles apart: the ends are known when the next slot comes, and not yet in
    // the first cycle of a slot (valid_q).
    row_end_q   <= 17'(group_x_q) + 17'(2 * Spus) == 17'(cfg_tile_width_i);
    field_end_q <= 17'(y_q) + 17'd1 == 17'(cfg_tile_height_i);
    if (field_end_q && !valid_q) rv_count_o <= {1'b0, row_q} + (RvBits + 1)'(cfg_tile_width_i);

    if (slot_valid_i) begin
      colour_q <= slot_colour_i;
      if (slot_half_start_i) begin
        group_x_q   <= '0;
        y_q         <= slot_row0_i[YBits-1:0];
        top_q       <= slot_row0_i == '0;
        row_q       <= slot_row0_base_i[RvBits-1:0];
        word_q      <= BankBits'(start_word >> 3);
        s2_q        <= slot_row0_i == '0 ? '0 : s2_next_q;
        first_row_q <= 1'b1;
      end else if (row_end_q) begin
        group_x_q   <= '0;
        first_row_q <= 1'b0;
        if (field_end_q) begin
          y_q    <= '0;
          top_q  <= 1'b1;
          row_q  <= '0;
          word_q <= '0;
          s2_q   <= '0;
        end else begin
          y_q    <= y_q + 1'b1;
          top_q  <= 1'b0;
          row_q  <= row_q + RvBits'(cfg_tile_width_i);
          word_q <= word_q + (y_q[0] ? BankBits'(cfg_tile_width_i >> 2) : BankBits'(0));
          s2_q   <= s2_step;
        end
        // The next half-step starts one row later: keep that row's base instead of multiplying.
        if (first_row_q) s2_next_q <= field_end_q ? '0 : s2_step;
      end else begin
        group_x_q <= group_x_q + XBits'(2 * Spus);
      end
    end

    valid_q <= slot_valid_i & rst_ni;
  end

  logic odd;
  assign odd = y_q[0] ^ colour_q;

  assign pos_valid_o  = valid_q;
  assign pos_colour_o = colour_q;
  assign pos_x_o      = group_x_q | XBits'(odd);
  assign pos_y_o      = y_q;
  assign pos_row_o    = row_q;
  assign pos_word_o   = word_q;
  assign pos_s2_o     = s2_q;

  // ---------------------------------------------------------------- cost table
  if (SingletonTable) begin : g_cost
    // Words follow the order of the slots: one running counter for a colour; the words of white start
    // where those of black end.
    logic [CostBits-1:0] cost_q, cost_next_q, cost_half_q, cost_step;
    assign cost_step = cost_q + CostBits'(cfg_labels_i);

    always_ff @(posedge clk_i) begin
      if (row_end_q && field_end_q && !valid_q) cost_half_q <= cost_step;
      if (slot_valid_i) begin
        if (slot_half_start_i) begin
          cost_q <= slot_row0_i == '0 ? '0 : cost_next_q;
        end else begin
          cost_q <= row_end_q && field_end_q ? '0 : cost_step;
          if (row_end_q && first_row_q) cost_next_q <= field_end_q ? '0 : cost_step;
        end
      end
      pos_cost_o <= cost_q + (colour_q ? cost_half_q : CostBits'(0));
    end
  end else begin : g_no_cost
    logic unused_labels;
    assign unused_labels = ^cfg_labels_i;
    assign pos_cost_o    = '0;
  end

  // ---------------------------------------------------------------- one SPU a cycle
  logic                lane_run_q, lane_run;
  logic [LaneBits-1:0] lane_q, lane;
  logic [XBits-1:0]    x;

  assign lane_run = valid_q | lane_run_q;
  assign lane     = valid_q ? '0 : lane_q;
  assign x        = pos_x_o | XBits'({lane, 1'b0});

  logic                a_valid_q, a_last_q, a_minus_q, a_y0_q, a_left_q, a_right_q, a_up_q, a_down_q;
  logic [LaneBits-1:0] a_lane_q;
  logic [XBits-1:0]    a_x_q;
  logic [YBits-1:0]    a_y_q;
  logic [RvBits-1:0]   a_row_q;
  logic [BankBits-1:0] a_xw_q, a_xw_left_q, a_xw_right_q, a_mid_q, a_above_q, a_below_q;

  logic [BankBits-1:0] mid, w4;
  logic                s1;             // bit 1 of x + y
  assign w4  = BankBits'(cfg_tile_width_i >> 2);
  assign mid = word_q + (colour_q ? BankBits'(0) : BankBits'(Half));   // neighbours have the other colour
  assign s1  = x[1] ^ y_q[1] ^ (x[0] & y_q[0]);

  // Stage A: row bases and words of the three columns
  always_ff @(posedge clk_i) begin
    lane_run_q <= lane_run && int'(lane) != Spus - 1 && rst_ni;
    lane_q     <= lane + 1'b1;

    a_valid_q    <= lane_run;
    a_last_q     <= lane_run && int'(lane) == Spus - 1;
    a_lane_q     <= lane;
    a_x_q        <= x;
    a_y_q        <= y_q;
    a_y0_q       <= y_q[0];
    a_row_q      <= row_q;
    // Bit 1 of x + y - 1: bank half of the left and the upper neighbour
    a_minus_q    <= s1 ^ ~(x[0] ^ y_q[0]);
    a_left_q     <= x == '0;
    a_right_q    <= 17'(x) + 17'd1 == 17'(cfg_tile_width_i);
    a_up_q       <= top_q;
    a_down_q     <= 17'(y_q) + 17'd1 == 17'(cfg_tile_height_i);
    a_xw_q       <= BankBits'(x >> 2);
    a_xw_left_q  <= BankBits'(x >> 2) - BankBits'(x[1:0] == 2'd0);
    a_xw_right_q <= BankBits'(x >> 2) + BankBits'(x[1:0] == 2'd3);
    a_mid_q      <= mid;
    a_above_q    <= y_q[0] ? mid : mid - w4;
    a_below_q    <= y_q[0] ? mid + w4 : mid;
  end

  assign axis_x_o = a_x_q;
  assign axis_y_o = a_y_q;

  // Stage B: bank addresses. Bank {half, row parity}: the row of the RV is in banks {., y0}.
  logic [BankBits-1:0] row_minus, row_plus, col_minus, col_plus;
  assign row_minus = a_mid_q + a_xw_left_q;
  assign row_plus  = a_mid_q + a_xw_right_q;
  assign col_minus = a_above_q + a_xw_q;
  assign col_plus  = a_below_q + a_xw_q;

  for (genvar b = 0; b < 4; b++) begin : g_bank
    localparam bit RowParity = b[0];
    localparam bit BankHalf  = b[1];
    always_ff @(posedge clk_i) begin
      if (rd_valid_i) begin
        lab_raddr_o[b*BankBits +: BankBits] <= rd_addr_i[BankBits+1:2];
      end else if (a_y0_q == RowParity) begin
        lab_raddr_o[b*BankBits +: BankBits] <= a_minus_q == BankHalf ? row_minus : row_plus;
      end else begin
        lab_raddr_o[b*BankBits +: BankBits] <= a_minus_q == BankHalf ? col_minus : col_plus;
      end
    end
  end

  // ---------------------------------------------------------------- delays to the stages of a SPE
  logic             b_left_q, b_up_q, b_valid_q, b_last_q;
  logic [YBits-1:0] b_y_q;
  logic [XBits-1:0] b_x_q;
  logic [1:0]       b_bank_q;
  logic [3:0]       b_halo_q;
  logic [LaneBits-1:0] b_lane_q;
  logic [RvBits-1:0]   b_addr_q;

  always_ff @(posedge clk_i) begin
    b_valid_q <= a_valid_q;
    b_last_q  <= a_last_q;
    b_lane_q  <= a_lane_q;
    b_left_q  <= a_left_q;
    b_up_q    <= a_up_q;
    b_x_q     <= a_x_q;
    b_y_q     <= a_y_q;
    b_bank_q  <= rd_valid_i ? rd_addr_i[1:0] : {a_minus_q, a_y0_q};
    b_halo_q  <= rd_valid_i ? 4'b0000 : {a_down_q, a_up_q, a_right_q, a_left_q};
    b_addr_q  <= a_row_q + RvBits'(a_x_q);

    halo_h_raddr_o <= {~b_left_q, b_y_q};
    halo_v_raddr_o <= {~b_up_q, b_x_q};
  end

  spa_delay #(.Width(2), .Stages(2)) u_bank (.clk_i, .data_i(b_bank_q), .data_o(sw_bank_o));
  spa_delay #(.Width(4), .Stages(3)) u_halo (.clk_i, .data_i(b_halo_q), .data_o(sw_halo_o));

  // 3 + j -> 9 + j
  spa_delay #(.Width(RvBits), .Stages(6)) u_s1 (.clk_i, .data_i(b_addr_q), .data_o(s1_raddr_o));

  logic                c_valid, c_last;
  logic [LaneBits-1:0] c_lane;
  spa_delay #(.Width(2 + LaneBits), .Stages(5)) u_lane (
    .clk_i, .data_i({b_valid_q, b_last_q, b_lane_q}), .data_o({c_valid, c_last, c_lane})
  );
  logic last_q;
  for (genvar j = 0; j < Spus; j++) begin : g_load
    always_ff @(posedge clk_i) nb_load_o[j] <= c_valid && int'(c_lane) == j;
  end
  always_ff @(posedge clk_i) begin
    last_q    <= c_last;
    nb_xfer_o <= last_q;
  end
  spa_delay #(.Width(Spus + 1), .Stages(2)) u_s1_load (
    .clk_i, .data_i({nb_load_o, nb_xfer_o}), .data_o({s1_load_o, s1_xfer_o})
  );

endmodule
