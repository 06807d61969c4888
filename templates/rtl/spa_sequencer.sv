// spa_sequencer: takes a start through its states and watches over it.
//
//   idle -> check -> load -> run -> last slots -> drain -> flush -> readback -> done
//
// States that were not asked for are passed over. A state is left only when what it waits for has held for 64 cycles,
// which covers every pipeline between here and there; seven such waits are about 450 cycles a start. Drain is passed
// over if no iteration was collected, for the entry RAM then holds nothing that belongs to this run.

module spa_sequencer #(
  parameter int LineBits        = 512,
  parameter int LabelBits       = 6,
  parameter int TileWidthMax    = 64,
  parameter int TileHeightMax   = 64,
  parameter int ScheduleEntries = 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // Commands: pulses, taken into registers first
  input  logic        start_i,
  input  logic        load_i,
  input  logic        run_i,
  input  logic        readback_i,
  input  logic        stop_i,
  input  logic        soft_reset_i,
  input  logic        clear_errors_i,
  output logic        accepted_o,        // pulse: start was accepted
  output logic        busy_o,

  // Run parameters that are checked
  input  logic [15:0] tile_width_i,
  input  logic [15:0] tile_height_i,
  input  logic [15:0] groups_i,
  input  logic [8:0]  labels_i,
  input  logic [8:0]  entries_i,
  input  logic [63:0] load_base_i,
  input  logic [63:0] ring_base_i,
  input  logic [23:0] ring_lines_i,
  input  logic [63:0] readback_base_i,
  input  logic [23:0] readback_words_i,

  // Parts
  output logic        core_rst_no,       // reset of everything but registers and sequencer
  output logic        hold_o,            // start no memory transaction
  input  logic        memory_quiet_i,    // no memory transaction in flight
  output logic        load_start_o,
  input  logic        load_idle_i,
  output logic        run_start_o,
  output logic        stop_o,            // level: end the run after the current iteration
  input  logic        slots_done_i,
  input  logic        any_slot_i,
  input  logic        collected_i,
  input  logic        array_idle_i,
  output logic        drain_start_o,
  input  logic        drain_done_i,
  input  logic [39:0] sent_i,
  input  logic [39:0] received_i,
  output logic        flush_o,
  input  logic        writer_idle_i,
  output logic        readback_start_o,
  input  logic        readback_idle_i,

  // Error pulses
  input  logic        read_error_i,
  input  logic        write_error_i,
  input  logic        ring_error_i,
  input  logic        locked_write_i,

  // Status
  output logic [3:0]  state_o,
  output logic        done_o,
  output logic [5:0]  errors_o,          // as ERRORS, from bit 0
  output logic [5:0]  bad_o,             // as ERRORS, from bit 16

  // Counter enables
  output logic        count_total_o,
  output logic        count_load_o,
  output logic        count_run_o,
  output logic        count_drain_o,
  output logic        count_flush_o,
  output logic        count_readback_o
);

  localparam int LineShift = $clog2(LineBits / 8);

  localparam logic [3:0] StateIdle     = 4'd0;
  localparam logic [3:0] StateLoad     = 4'd1;
  localparam logic [3:0] StateRun      = 4'd2;
  localparam logic [3:0] StateDrain    = 4'd3;
  localparam logic [3:0] StateFlush    = 4'd4;
  localparam logic [3:0] StateReadback = 4'd5;
  localparam logic [3:0] StateDone     = 4'd6;
  localparam logic [3:0] StateReset    = 4'd7;
  localparam logic [3:0] StateCheck    = 4'd8;
  localparam logic [3:0] StateLast     = 4'd9;

  localparam logic [6:0] HeldCycles  = 7'd64;
  localparam logic [6:0] ResetCycles = 7'd32;

  logic [3:0] state_q;
  logic [3:0] state_d;
  logic [3:0] previous_q;     // the state a cycle ago
  logic       entered;        // first cycle of a state
  logic [3:0] entered_q;      // and the cycles after it
  logic [6:0] held_q;         // cycles that the condition of this state has held
  logic       condition;
  logic       condition_q;
  logic       slots_done_q;
  logic       held;
  logic       load_q;
  logic       run_q;
  logic       readback_q;
  logic       flush;          // push the partial line
  logic       flushed_q;      // it has been pushed
  logic       equal_q;        // messages sent = messages received
  logic       parameter_bad;
  logic       waiting_idle;
  logic [6:0] reset_q;        // cycles of core reset
  logic       reset_end;
  logic [5:0] errors_q;
  logic [5:0] bad_sticky_q;

  // `busy` and `accepted` reach flip-flops all over the chip: from registers of their own.
  logic start_q;
  logic load_command_q;
  logic run_command_q;
  logic readback_command_q;
  logic stop_command_q;
  logic soft_reset_q;
  logic clear_errors_q;

  always_ff @(posedge clk_i) begin
    start_q            <= rst_ni && start_i;
    load_command_q     <= load_i;
    run_command_q      <= run_i;
    readback_command_q <= readback_i;
    stop_command_q     <= rst_ni && stop_i;
    soft_reset_q       <= rst_ni && soft_reset_i;
    clear_errors_q     <= clear_errors_i;
    busy_o             <= rst_ni && (accepted_o || soft_reset_q || !waiting_idle);
    accepted_o         <= rst_ni && start_i && !soft_reset_i && waiting_idle;
  end

  assign waiting_idle = (state_q == StateIdle) || (state_q == StateDone);
  assign entered      = state_q != previous_q;
  assign held         = (held_q == HeldCycles) && !entered;

  // Parameter checks, registered: they have the whole of StateCheck to settle.
  logic [5:0] bad_q;
  logic [5:0] bad_d;

  assign bad_d[0] = run_q && ((tile_width_i == '0) || (tile_height_i == '0) || (groups_i == '0)
    || (tile_width_i > 16'(TileWidthMax)) || (tile_height_i > 16'(TileHeightMax)));
  assign bad_d[1] = run_q && ((labels_i == '0) || (labels_i > (9'd1 << LabelBits)));
  assign bad_d[2] = run_q && ((entries_i == '0) || (entries_i > 9'(ScheduleEntries)));
  assign bad_d[3] = run_q && ((ring_lines_i == '0) || (ring_base_i[LineShift-1:0] != '0));
  assign bad_d[4] = load_q && (load_base_i[LineShift-1:0] != '0);
  assign bad_d[5] = readback_q && ((readback_base_i[LineShift-1:0] != '0) || (readback_words_i == '0));

  always_ff @(posedge clk_i) bad_q <= bad_d;

  assign parameter_bad = bad_q != '0;

  // What each state waits for.
  always_comb begin
    case (state_q)
      StateCheck:    condition = 1'b1;
      StateLoad:     condition = load_idle_i;
      StateLast:     condition = array_idle_i;
      StateDrain:    condition = drain_done_i;
      StateFlush:    condition = flushed_q ? writer_idle_i : (equal_q || !any_slot_i);
      StateReadback: condition = readback_idle_i && writer_idle_i;
      StateReset:    condition = memory_quiet_i;
      default:       condition = 1'b0;
    endcase
  end

  always_comb begin
    state_d = state_q;
    case (state_q)
      StateIdle, StateDone: if (accepted_o) state_d = StateCheck;
      StateCheck: begin
        if (held) begin
          if (parameter_bad)   state_d = StateDone;
          else if (load_q)     state_d = StateLoad;
          else if (run_q)      state_d = StateRun;
          else if (readback_q) state_d = StateReadback;
          else                 state_d = StateDone;
        end
      end
      StateLoad: begin
        if (held) begin
          if (errors_q[0])     state_d = StateDone;
          else if (run_q)      state_d = StateRun;
          else if (readback_q) state_d = StateReadback;
          else                 state_d = StateDone;
        end
      end
      // What the end of the run before has left is gone four cycles after the start.
      StateRun:      if (slots_done_q && !entered && (entered_q == '0)) state_d = StateLast;
      StateLast:     if (held) state_d = collected_i ? StateDrain : StateFlush;
      StateDrain:    if (held) state_d = StateFlush;
      StateFlush:    if (held && flushed_q) state_d = readback_q ? StateReadback : StateDone;
      StateReadback: if (held) state_d = StateDone;
      StateReset:    if (held && reset_end) state_d = StateIdle;
      default:       state_d = StateIdle;
    endcase
    if (soft_reset_q) state_d = StateReset;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q    <= StateIdle;
      previous_q <= StateIdle;
      entered_q  <= '0;
      held_q     <= '0;
      flushed_q  <= 1'b0;
    end else begin
      state_q    <= state_d;
      previous_q <= state_q;
      entered_q  <= {entered_q[2:0], entered};
      // The condition of the state before may still be in its register.
      if (!condition_q || entered || entered_q[0] || flush) held_q <= '0;
      else if (!held) held_q <= held_q + 1'b1;
      if (state_q != StateFlush) flushed_q <= 1'b0;
      else if (flush) flushed_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (accepted_o) begin
      load_q     <= load_command_q;
      run_q      <= run_command_q;
      readback_q <= readback_command_q;
    end
  end

  // A stop holds until the next start, so that it also ends a run that is still loading.
  logic stop_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || accepted_o) stop_q <= 1'b0;
    else if (stop_command_q && busy_o) stop_q <= 1'b1;
  end

  assign stop_o = stop_q;

  always_ff @(posedge clk_i) equal_q <= sent_i == received_i;

  // Pulses on entry, from registers, with the parts' parameters long stable.
  always_ff @(posedge clk_i) begin
    condition_q      <= condition;
    slots_done_q     <= slots_done_i;
    load_start_o     <= rst_ni && entered && (state_q == StateLoad);
    run_start_o      <= rst_ni && entered && (state_q == StateRun);
    drain_start_o    <= rst_ni && entered && (state_q == StateDrain);
    readback_start_o <= rst_ni && entered && (state_q == StateReadback);
    flush_o          <= flush;
  end

  assign flush = rst_ni && (state_q == StateFlush) && held && !flushed_q;

  // Soft reset: memory transactions end first, for a bus does not forgive a master that forgets one.
  assign reset_end = reset_q == ResetCycles;

  always_ff @(posedge clk_i) hold_o <= rst_ni && (soft_reset_q || (state_q == StateReset));

  always_ff @(posedge clk_i) begin
    if (!rst_ni || (state_q != StateReset)) reset_q <= '0;
    else if (held && !reset_end) reset_q <= reset_q + 1'b1;
  end

  // Delay lines of the array have no reset: they need as many cycles after power-up, too. A start waits longer in
  // StateCheck.
  logic [5:0] power_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) power_q <= '0;
    else if (!power_q[5]) power_q <= power_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    core_rst_no <= rst_ni && power_q[5] && (reset_q == '0);
  end

  // Sticky errors.
  logic       check_end;

  assign check_end = (state_q == StateCheck) && held;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_errors_q || accepted_o) begin
      errors_q     <= '0;
      bad_sticky_q <= '0;
    end else begin
      errors_q <= errors_q | {
        locked_write_i,
        start_q && !accepted_o && !(soft_reset_q && waiting_idle),
        ring_error_i,
        check_end && parameter_bad,
        write_error_i,
        read_error_i
      };
      if (check_end) bad_sticky_q <= bad_q;
    end
  end

  // Of the bases only the alignment is checked.
  logic unused_base;
  assign unused_base = ^{load_base_i[63:LineShift], ring_base_i[63:LineShift], readback_base_i[63:LineShift]};

  assign errors_o = errors_q;
  assign bad_o    = bad_sticky_q;
  assign state_o  = state_q;
  assign done_o   = state_q == StateDone;

  // Counter enables, without the cycles that only make sure.
  always_ff @(posedge clk_i) begin
    count_total_o    <= busy_o;
    count_load_o     <= (state_q == StateLoad) && !load_idle_i;
    count_run_o      <= ((state_q == StateRun) && any_slot_i) || ((state_q == StateLast) && !array_idle_i);
    count_drain_o    <= (state_q == StateDrain) && !drain_done_i;
    count_flush_o    <= (state_q == StateFlush) && !condition;
    count_readback_o <= (state_q == StateReadback) && !condition;
  end

endmodule
