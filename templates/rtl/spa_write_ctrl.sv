// spa_write_ctrl: write-back addresses, drain, slots in flight (Scheduler)
//
// Label RAM, halos and entry RAM have one writer: the write-back of slots. Load records for labels and halos use the
// same path, so that a SPE needs no address multiplexers.

module spa_write_ctrl #(
  parameter int Spus          = 2,
  parameter int RvCapacity    = 8192,
  parameter int TileWidthMax  = 128,
  parameter int TileHeightMax = 128,
  parameter int LogFifoDepth  = 64,
  localparam int XBits        = $clog2(TileWidthMax),
  localparam int YBits        = $clog2(TileHeightMax),
  localparam int RvBits       = $clog2(RvCapacity),
  localparam int BankBits     = $clog2(RvCapacity / 4),
  localparam int FillBits     = $clog2(LogFifoDepth + 1),
  localparam int LaneBits     = Spus > 1 ? $clog2(Spus) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic [15:0]         cfg_tile_width_i,
  input  logic [15:0]         cfg_tile_height_i,

  // Load bus: labels and halos
  input  logic                load_valid_i,
  input  logic [3:0]          load_target_i,
  /* verilator lint_off UNUSEDSIGNAL */  // register width; a build uses the bits its memories need
  input  logic [23:0]         load_addr_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // Slot
  input  logic                slot_valid_i,
  input  logic                pos_valid_i,
  input  logic                pos_colour_i,
  input  logic                pos_collect_i,
  input  logic                pos_first_i,
  input  logic [XBits-1:0]    pos_x_i,
  input  logic [YBits-1:0]    pos_y_i,
  input  logic [RvBits-1:0]   pos_row_i,
  input  logic [BankBits-1:0] pos_word_i,

  // Write-back pass
  input  logic                wb_pop_i,
  input  logic                wb_valid_i,
  input  logic [LaneBits-1:0] wb_lane_i,
  input  logic                wb_retire_i,
  output logic [LaneBits-1:0] wb_lane_o,

  // Label RAM, entry RAM
  output logic                wb_load_o,
  output logic [3:0]          lab_we_o,
  output logic [BankBits-1:0] lab_waddr_o,
  output logic                ent_valid_o,
  output logic                ent_drain_o,
  output logic                ent_first_o,
  output logic [RvBits-1:0]   ent_addr_o,

  // Halos, one cycle after the label RAM; side 0: from the left or upper neighbour, 1: right or lower
  output logic                halo_h_we_o,
  output logic [YBits:0]      halo_h_waddr_o,   // {side, y}
  output logic                halo_v_we_o,
  output logic [XBits:0]      halo_v_waddr_o,   // {side, x}

  // Drain
  input  logic                drain_start_i,
  output logic                drain_done_o,
  input  logic [RvBits:0]     rv_count_i,

  // Stall: a log FIFO is full when it holds `fill_limit_o` messages
  input  logic                stall_i,
  output logic [FillBits-1:0] fill_limit_o,
  output logic                idle_o
);

  localparam int Half = RvCapacity / 8;
  localparam logic [3:0] TargetLabel = 4'd2;
  localparam logic [3:0] TargetHalo  = 4'd3;

  // ---------------------------------------------------------------- records of the slots in flight
  localparam int RecordBits = 3 + XBits + YBits + RvBits + BankBits;
  logic [4:0]            wptr_q, rptr_q;
  logic [RecordBits-1:0] head, record_q;

  spa_lutram_1r1w #(.Width(RecordBits), .Depth(32)) u_records (
    .clk_i,
    .we_i   (pos_valid_i), .waddr_i(wptr_q),
    .wdata_i({pos_colour_i, pos_collect_i, pos_first_i, pos_x_i, pos_y_i, pos_row_i, pos_word_i}),
    .raddr_i(rptr_q), .rdata_o(head)
  );
  always_ff @(posedge clk_i) begin
    if (wb_pop_i) record_q <= head;
    if (!rst_ni) begin
      wptr_q <= '0;
      rptr_q <= '0;
    end else begin
      if (pos_valid_i) wptr_q <= wptr_q + 1'b1;
      if (wb_pop_i)    rptr_q <= rptr_q + 1'b1;
    end
  end

  logic                colour, collect, first;
  logic [XBits-1:0]    pos_x, x;
  logic [YBits-1:0]    y;
  logic [RvBits-1:0]   row;
  logic [BankBits-1:0] word;
  assign {colour, collect, first, pos_x, y, row, word} = record_q;
  assign x = pos_x | XBits'({wb_lane_i, 1'b0});

  // ---------------------------------------------------------------- stage A: one RV a cycle
  logic                a_valid_q, a_collect_q, a_first_q, a_left_q, a_right_q, a_up_q, a_down_q;
  logic [1:0]          a_bank_q;
  logic [XBits-1:0]    a_x_q;
  logic [YBits-1:0]    a_y_q;
  logic [RvBits-1:0]   a_addr_q;
  logic [BankBits-1:0] a_word_q;

  always_ff @(posedge clk_i) begin
    a_valid_q   <= wb_valid_i;
    wb_lane_o   <= wb_lane_i;
    a_collect_q <= wb_valid_i && collect;
    a_first_q   <= first;
    a_bank_q    <= {x[1] ^ y[1] ^ (x[0] & y[0]), y[0]};
    a_x_q       <= x;
    a_y_q       <= y;
    a_addr_q    <= row + RvBits'(x);
    a_word_q    <= word + BankBits'(x >> 2) + (colour ? BankBits'(Half) : BankBits'(0));
    a_left_q    <= wb_valid_i && x == '0;
    a_right_q   <= wb_valid_i && 17'(x) + 17'd1 == 17'(cfg_tile_width_i);
    a_up_q      <= wb_valid_i && y == '0;
    a_down_q    <= wb_valid_i && 17'(y) + 17'd1 == 17'(cfg_tile_height_i);
  end

  // ---------------------------------------------------------------- stage B: multiplexed with load records
  logic load_label, load_halo;
  assign load_label = load_valid_i && load_target_i == TargetLabel;
  assign load_halo  = load_valid_i && load_target_i == TargetHalo;

  logic              b_h_we_q, b_v_we_q;
  logic [YBits:0]    b_h_waddr_q;
  logic [XBits:0]    b_v_waddr_q;
  logic              drain_valid;
  logic [RvBits-1:0] drain_addr_q;

  always_ff @(posedge clk_i) begin
    wb_load_o   <= load_label || load_halo;
    lab_waddr_o <= load_label ? load_addr_i[2 +: BankBits] : a_word_q;
    ent_valid_o <= (a_collect_q || drain_valid) && rst_ni;
    ent_drain_o <= drain_valid;
    ent_first_o <= a_first_q;
    ent_addr_o  <= drain_valid ? drain_addr_q : a_addr_q;

    // The writer of the last column is the left neighbour of the SPE that keeps the copy.
    b_h_we_q    <= a_left_q || a_right_q;
    b_h_waddr_q <= {a_left_q, a_y_q};
    b_v_we_q    <= a_up_q || a_down_q;
    b_v_waddr_q <= {a_up_q, a_x_q};
    halo_h_we_o    <= load_halo ? !load_addr_i[23] : b_h_we_q;
    halo_v_we_o    <= load_halo ? load_addr_i[23] : b_v_we_q;
    halo_h_waddr_o <= load_halo ? {load_addr_i[22], load_addr_i[YBits-1:0]} : b_h_waddr_q;
    halo_v_waddr_o <= load_halo ? {load_addr_i[22], load_addr_i[XBits-1:0]} : b_v_waddr_q;
  end
  for (genvar b = 0; b < 4; b++) begin : g_we
    always_ff @(posedge clk_i) begin
      lab_we_o[b] <= (load_label && load_addr_i[1:0] == 2'(b)) || (a_valid_q && a_bank_q == 2'(b));
    end
  end

  // ---------------------------------------------------------------- drain
  // All SPEs read the same entry; a RV sends up to two messages, so every second cycle at most.
  localparam int FlushCycles = 24;     // entry pipeline, log FIFO, counters
  logic            draining_q, drain_pause_q, flushing_q;
  logic [RvBits:0] drain_next;
  logic [4:0]      flush_q;

  assign drain_valid = draining_q && !drain_pause_q && !stall_i;
  assign drain_next  = {1'b0, drain_addr_q} + 1'b1;

  always_ff @(posedge clk_i) begin
    drain_pause_q <= drain_valid;
    if (drain_start_i)    drain_addr_q <= '0;
    else if (drain_valid) drain_addr_q <= drain_next[RvBits-1:0];

    flush_q <= flushing_q ? flush_q + 1'b1 : '0;
    if (!rst_ni) begin
      draining_q   <= 1'b0;
      flushing_q   <= 1'b0;
      drain_done_o <= 1'b0;
    end else begin
      if (drain_start_i)                                draining_q <= 1'b1;
      else if (drain_valid && drain_next == rv_count_i) draining_q <= 1'b0;

      if (drain_valid && drain_next == rv_count_i) flushing_q <= 1'b1;
      else if (int'(flush_q) == FlushCycles)       flushing_q <= 1'b0;

      if (slot_valid_i || drain_start_i)     drain_done_o <= 1'b0;
      else if (int'(flush_q) == FlushCycles) drain_done_o <= 1'b1;
    end
  end

  // ---------------------------------------------------------------- slots in flight
  // Stalling takes 7 cycles here and up to 4 in the sequencer: slots that start meanwhile need room, too.
  localparam int StallCycles = 12;
  localparam int SlotCycles  = Spus > 2 ? Spus : 2;
  localparam int Margin      = Spus * ((StallCycles + SlotCycles - 1) / SlotCycles);
  localparam int Room        = LogFifoDepth - Margin;

  logic [6:0]          inflight_q;
  logic signed [11:0]  limit;
  assign limit = 12'(Room + 1) - 12'(Spus) * {5'd0, inflight_q};

  always_ff @(posedge clk_i) begin
    if (!rst_ni)                           inflight_q <= '0;
    else if (slot_valid_i && !wb_retire_i) inflight_q <= inflight_q + 1'b1;
    else if (!slot_valid_i && wb_retire_i) inflight_q <= inflight_q - 1'b1;
    idle_o <= rst_ni && inflight_q == '0 && !slot_valid_i;

    if (draining_q)     fill_limit_o <= FillBits'(LogFifoDepth / 2);
    else if (limit < 0) fill_limit_o <= '0;
    else                fill_limit_o <= FillBits'(limit);
  end

endmodule
