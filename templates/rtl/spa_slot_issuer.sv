// spa_slot_issuer: starts the slots of a run, one every slot_cycles cycles unless the array stalls.
//
// A half-step (one colour of one iteration) has tile height x groups slots and starts at row `row0`, which advances by
// one, modulo the height, from half-step to half-step. Everything the next half-step needs is computed ahead in pieces
// of one addition a cycle, so that a colour switch costs no cycle; only half-steps shorter than four cycles wait.

module spa_slot_issuer #(
  parameter int ScheduleEntries = 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // Run parameters, stable from start to done
  input  logic [15:0] tile_width_i,
  input  logic [15:0] tile_height_i,
  input  logic [15:0] groups_i,
  input  logic [23:0] iterations_i,
  input  logic [23:0] burn_in_i,
  input  logic [15:0] slot_cycles_i,
  input  logic [23:0] switch_gap_i,
  input  logic [8:0]  entries_i,

  // Schedule memory
  input  logic        schedule_we_i,
  input  logic [7:0]  schedule_entry_i,
  input  logic [23:0] schedule_iterations_i,

  // Control
  input  logic        start_i,      // pulse
  input  logic        stop_i,       // level: the current iteration is the last
  input  logic        stall_i,      // start no slot
  output logic        done_o,       // every slot has been started
  output logic        stopped_o,    // stop ended the run early
  output logic        any_o,        // a slot has been started
  output logic        collected_o,  // a collected iteration is complete
  output logic        stalled_o,    // a slot is due and the array stalls
  output logic        in_gap_o,     // a slot is due but for the switch gap
  output logic [23:0] iteration_o,  // iterations completely started

  // Slots
  output logic        slot_valid_o,
  output logic        slot_half_start_o,
  output logic        slot_colour_o,
  output logic        slot_collect_o,
  output logic        slot_first_o,
  output logic [15:0] slot_row0_o,
  output logic [23:0] slot_row0_base_o,
  output logic [23:0] slot_iteration_o,
  output logic [7:0]  slot_entry_o
);

  localparam int EntryBits = $clog2(ScheduleEntries);

  // Start: the pieces below settle first.
  localparam logic [2:0] PrepareCycles = 3'd7;
  localparam logic [1:0] SettleCycles  = 2'd3;

  logic [2:0] prepare_q;
  logic       preparing_q;     // prepare_q is not 0
  logic       first_read_q;    // the first cycles of it: entry 0 is being read
  logic       active_q;
  logic       done_q;
  logic       stop_q;
  logic       stopped_q;
  logic       any_q;
  logic       collected_q;

  logic       issue;
  logic       last_slot;       // of the half-step
  logic       last_iteration_q;
  logic       half_end;
  logic       slot_colour_q;
  logic       iteration_end;

  // When: slot timer, then switch gap.
  logic [15:0] period_q;       // slot cycles - 1
  logic [15:0] timer_q;
  logic        timer_zero_q;
  logic [23:0] gap_q;
  logic        gap_zero_q;
  logic [1:0]  settle_q;
  logic        settling_q;     // settle_q is not 0

  assign issue         = active_q && timer_zero_q && gap_zero_q && !stall_i && !(last_slot && settling_q);
  assign half_end      = issue && last_slot;
  assign iteration_end = half_end && slot_colour_q;

  always_ff @(posedge clk_i) begin
    period_q <= (slot_cycles_i == '0) ? '0 : slot_cycles_i - 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) begin
      timer_q      <= '0;
      timer_zero_q <= 1'b1;
      gap_q        <= '0;
      gap_zero_q   <= 1'b1;
      settle_q     <= SettleCycles;
      settling_q   <= 1'b1;
    end else begin
      if (issue) begin
        timer_q      <= period_q;
        timer_zero_q <= period_q == '0;
      end else begin
        if (!timer_zero_q) timer_q <= timer_q - 1'b1;
        timer_zero_q <= timer_q[15:1] == '0;
      end
      if (half_end) begin
        gap_q      <= switch_gap_i;
        gap_zero_q <= switch_gap_i == '0;
      end else if (timer_zero_q) begin
        if (!gap_zero_q) gap_q <= gap_q - 1'b1;
        gap_zero_q <= gap_q[23:1] == '0;
      end
      if (half_end) settle_q <= SettleCycles;
      else if (settling_q) settle_q <= settle_q - 1'b1;
      settling_q <= half_end || settle_q[1];
    end
  end

  // Where in the half-step: groups within rows, counted down; the "last" flags are registers.
  logic [15:0] group_q;
  logic        group_last_q;
  logic [15:0] row_q;
  logic        row_last_q;

  assign last_slot = group_last_q && row_last_q;

  always_ff @(posedge clk_i) begin
    if (preparing_q) begin
      group_q      <= groups_i;
      group_last_q <= groups_i == 16'd1;
      row_q        <= tile_height_i;
      row_last_q   <= tile_height_i == 16'd1;
    end else if (issue) begin
      group_q      <= group_last_q ? groups_i : group_q - 1'b1;
      group_last_q <= group_last_q ? (groups_i == 16'd1) : (group_q == 16'd2);
      if (group_last_q) begin
        row_q      <= row_last_q ? tile_height_i : row_q - 1'b1;
        row_last_q <= row_last_q ? (tile_height_i == 16'd1) : (row_q == 16'd2);
      end
    end
  end

  // Which half-step: colour, start row and its base.
  logic        half_start_q;
  logic [15:0] row0_q;
  logic [15:0] row0_plus_q;
  logic        row0_wrap_q;
  logic [23:0] base_q;
  logic [23:0] base_plus_q;

  always_ff @(posedge clk_i) begin
    row0_plus_q <= row0_q + 1'b1;
    row0_wrap_q <= row0_plus_q == tile_height_i;
    base_plus_q <= base_q + 24'(tile_width_i);
    if (preparing_q) begin
      half_start_q  <= 1'b1;
      slot_colour_q <= 1'b0;
      row0_q        <= '0;
      base_q        <= '0;
    end else if (issue) begin
      half_start_q <= last_slot;
      if (last_slot) begin
        slot_colour_q <= !slot_colour_q;
        row0_q        <= row0_wrap_q ? '0 : row0_plus_q;
        base_q        <= row0_wrap_q ? '0 : base_plus_q;
      end
    end
  end

  // Which iteration, and what it is for.
  logic [23:0] iteration_q;
  logic [23:0] iteration_plus_q;
  logic        collect_q;
  logic        collect_next_q;
  logic        first_q;
  logic        first_next_q;

  always_ff @(posedge clk_i) begin
    iteration_plus_q <= iteration_q + 1'b1;
    last_iteration_q <= (iteration_plus_q == iterations_i) || stop_q;
    collect_next_q   <= iteration_plus_q >= burn_in_i;
    first_next_q     <= iteration_plus_q == burn_in_i;
    if (preparing_q) begin
      iteration_q <= '0;
      collect_q   <= burn_in_i == '0;
      first_q     <= burn_in_i == '0;
    end else if (iteration_end) begin
      iteration_q <= iteration_plus_q;
      collect_q   <= collect_next_q;
      first_q     <= first_next_q;
    end
  end

  // Temperature: the next entry is read ahead; the last one lasts on.
  // Written while loading, read while running.
  (* no_rw_check, ramstyle = "no_rw_check" *)
  logic [23:0] schedule_mem [0:ScheduleEntries-1];
  logic [7:0]  entry_q;
  logic [7:0]  entry_plus_q;
  logic        entry_more_q;
  logic [23:0] schedule_q;
  logic [23:0] schedule_qq;   // iterations of entry_plus_q
  logic [23:0] remain_q;      // iterations left in the entry
  logic        remain_last_q;

  always_ff @(posedge clk_i) begin
    if (schedule_we_i) schedule_mem[schedule_entry_i[EntryBits-1:0]] <= schedule_iterations_i;
    schedule_q  <= schedule_mem[entry_plus_q[EntryBits-1:0]];
    schedule_qq <= schedule_q;
  end

  // What the end of the iteration does to them is made ready before it: iterations are at least eight cycles long.
  logic [23:0] remain_next_q;
  logic        remain_step_q;
  logic        entry_step_q;

  always_ff @(posedge clk_i) begin
    entry_more_q  <= {1'b0, entry_plus_q} < entries_i;
    remain_last_q <= remain_q[23:1] == '0;
    remain_next_q <= remain_last_q ? schedule_qq : remain_q - 1'b1;
    remain_step_q <= !remain_last_q || entry_more_q;
    entry_step_q  <= remain_last_q && entry_more_q;
    if (preparing_q) begin
      // Entry 0 is read first of all.
      entry_q      <= '0;
      entry_plus_q <= first_read_q ? 8'd0 : 8'd1;
      if (first_read_q) remain_q <= schedule_qq;
    end else begin
      entry_plus_q <= entry_q + 1'b1;
      if (iteration_end && entry_step_q) entry_q <= entry_plus_q;
      if (iteration_end && remain_step_q) remain_q <= remain_next_q;
    end
  end

  // Start and end.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      prepare_q    <= '0;
      preparing_q  <= 1'b0;
      first_read_q <= 1'b0;
      active_q     <= 1'b0;
      done_q       <= 1'b0;
      stop_q       <= 1'b0;
      stopped_q    <= 1'b0;
      any_q        <= 1'b0;
      collected_q  <= 1'b0;
    end else if (start_i) begin
      prepare_q    <= PrepareCycles;
      preparing_q  <= 1'b1;
      first_read_q <= 1'b1;
      active_q     <= 1'b0;
      done_q       <= 1'b0;
      stop_q       <= 1'b0;
      stopped_q    <= 1'b0;
      any_q        <= 1'b0;
      collected_q  <= 1'b0;
    end else begin
      if (preparing_q) prepare_q <= prepare_q - 1'b1;
      if (prepare_q == 3'd4) first_read_q <= 1'b0;
      if (prepare_q == 3'd1) begin
        preparing_q <= 1'b0;
        active_q    <= (iterations_i != '0) && !stop_q;
        done_q      <= (iterations_i == '0) || stop_q;
      end
      if (stop_i && !done_q) stop_q <= 1'b1;
      if (issue) any_q <= 1'b1;
      if (iteration_end && collect_q) collected_q <= 1'b1;
      if (iteration_end && last_iteration_q) begin
        active_q <= 1'b0;
        done_q   <= 1'b1;
      end
      stopped_q <= done_q && (iteration_q != iterations_i);
    end
  end

  logic unused_entry;
  assign unused_entry = ^schedule_entry_i;

  // Slots, from registers.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) slot_valid_o <= 1'b0;
    else         slot_valid_o <= issue;
  end

  always_ff @(posedge clk_i) begin
    slot_half_start_o <= half_start_q;
    slot_colour_o     <= slot_colour_q;
    slot_collect_o    <= collect_q;
    slot_first_o      <= first_q;
    slot_row0_o       <= row0_q;
    slot_row0_base_o  <= base_q;
    slot_iteration_o  <= iteration_q;
    slot_entry_o      <= entry_q;
  end

  assign done_o      = done_q;
  assign stopped_o   = stopped_q;
  assign any_o       = any_q;
  assign collected_o = collected_q;
  assign stalled_o   = active_q && timer_zero_q && gap_zero_q && stall_i;
  assign in_gap_o    = active_q && timer_zero_q && !gap_zero_q;
  assign iteration_o = iteration_q;

endmodule
