//! uses spa_lutram_1r1w
//! parameters Spus=2 RvCapacity=64 TileWidthMax=8 TileHeightMax=8 LogFifoDepth=32
//! depth 3
//! faults 30
//! mutant limit = 12'(Room + 1) - => limit = 12'(LogFifoDepth + 1) -
//! mutant 12'(Spus) * {5'd0, inflight_q} => {5'd0, inflight_q}
//! mutant && !drain_pause_q && !stall_i => && !stall_i
//! mutant localparam int FlushCycles = 24 => localparam int FlushCycles = 4
//! mutant else if (!slot_valid_i && wb_retire_i) => else if (wb_retire_i)

  // The log FIFO of one SPE and the way of its stall back to here, cycle by cycle: two registers of spa_spe's control, its
  // full_o, two of spa_array, then spa_slot_issuer's slot_valid_o and spa_array's. Contracts: slots start two cycles apart and
  // not while stalled; each is written back once, RV after RV, and retires nine cycles later (spa_pass_ctrl); a RV sends at most
  // one message, six cycles after ent_valid_o, at its drain two in a row (spa_entry_mem); a drain starts when nothing is in flight.
  logic [2:0]          f_reset_q = 3'd0;
  logic [FillBits-1:0] f_limit_1_q, f_limit_2_q;
  logic                f_full_q, f_row_q, f_stall_q, f_stall_1_q, f_stall_2_q;
  logic [FillBits:0]   f_fill_q;         // messages in the log FIFO
  logic [5:0]          f_waiting_q;      // slots whose write-back has not begun
  logic [8:0]          f_slot_q;         // bit n: a slot started n + 1 cycles ago
  logic [10:0]         f_pop_q;          // likewise: a write-back began
  logic [12:0]         f_drain_q;        // likewise: a drain of one RV began
  logic [5:0]          f_update_q;       // RVs on their way through the entry memory
  (* anyseq *) logic   f_push, f_pop;

  always_ff @(posedge clk_i) if (f_reset_q != 3'd7) f_reset_q <= f_reset_q + 1'b1;
  always_comb assume (rst_ni == (f_reset_q == 3'd7));

  always_ff @(posedge clk_i) begin
    f_limit_1_q <= fill_limit_o;
    f_limit_2_q <= f_limit_1_q;
    f_full_q    <= f_fill_q >= (FillBits + 1)'(f_limit_2_q);
    f_row_q     <= f_full_q;
    f_stall_q   <= f_row_q;
    f_stall_1_q <= f_stall_q;
    f_stall_2_q <= f_stall_1_q;
    if (!rst_ni) begin
      f_fill_q    <= '0;
      f_waiting_q <= '0;
      f_slot_q    <= '0;
      f_pop_q     <= '0;
      f_drain_q   <= '0;
      f_update_q  <= '0;
    end else begin
      f_fill_q    <= f_fill_q + (FillBits + 1)'(f_push) - (FillBits + 1)'(f_pop);
      f_waiting_q <= f_waiting_q + 6'(slot_valid_i) - 6'(wb_pop_i);
      f_slot_q    <= {f_slot_q[7:0], slot_valid_i};
      f_pop_q     <= {f_pop_q[9:0], wb_pop_i};
      f_drain_q   <= {f_drain_q[11:0], drain_valid};
      f_update_q  <= {f_update_q[4:0], ent_valid_o && !ent_drain_o};
    end
  end

  always_comb begin
    assume (stall_i == f_stall_q);
    assume (wb_valid_i == (f_pop_q[0] || f_pop_q[1]));
    assume (wb_lane_i == f_pop_q[1]);
    assume (wb_retire_i == f_pop_q[10]);
    if (!rst_ni) assume (!slot_valid_i && !wb_pop_i && !drain_start_i && !f_push && !f_pop);
    if (slot_valid_i) assume (!f_slot_q[0] && !f_stall_2_q && f_waiting_q < 6'd32 && !draining_q && !flushing_q);
    if (wb_pop_i) assume (f_waiting_q != '0 && !f_pop_q[0]);
    if (drain_start_i) assume (inflight_q == '0 && !slot_valid_i && !draining_q && !flushing_q);
    if (f_push) assume (f_update_q[5] || f_drain_q[6] || f_drain_q[7]);
    if (f_pop) assume (f_fill_q != '0);
  end

  // In flight: slots by their write-back, messages that slots and drains may still send, and with those that are in the FIFO.
  logic [9:0] f_leaving, f_owed, f_drained, f_sum;
  always_comb begin
    f_leaving = 10'(f_waiting_q);
    for (int i = 0; i < 11; i++) f_leaving = f_leaving + 10'(f_pop_q[i]);
    f_owed = 10'({f_waiting_q, f_pop_q[9]});
    for (int i = 0; i < 9; i++) f_owed = f_owed + 10'({f_pop_q[i], 1'b0});
    f_drained = 10'(f_drain_q[7]);
    for (int i = 0; i < 7; i++) f_drained = f_drained + 10'({f_drain_q[i], 1'b0});
    f_sum = 10'(f_fill_q) + f_owed + f_drained;
  end

  // Twice the slots and drains that began in the last cycles.
  function automatic logic [9:0] f_begun(input int slots, input int drains);
    f_begun = '0;
    for (int i = 0; i < 9; i++) if (i < slots) f_begun = f_begun + 10'({f_slot_q[i], 1'b0});
    for (int i = 0; i < 13; i++) if (i < drains) f_begun = f_begun + 10'({f_drain_q[i], 1'b0});
  endfunction

  // A limit on its way allows what has started since it was worked out on top of what it leaves room for.
  function automatic logic f_allowed(input logic [FillBits-1:0] limit, input int slots);
    f_allowed = limit == '0 || 10'(limit) + 10'({inflight_q, 1'b0}) <= 10'(Room + 1) + f_begun(slots, 0);
  endfunction

  always_comb begin
    if (rst_ni) begin
      // Nothing is pushed into a full log FIFO: there is room for all that is still to come.
      if (f_push) assert (f_fill_q < (FillBits + 1)'(LogFifoDepth));
      assert (f_sum <= 10'(LogFifoDepth));

      // Slots count as in flight until their messages are in the FIFO.
      assert (10'(inflight_q) == f_leaving);
      if (a_collect_q) assert (f_pop_q[1] || f_pop_q[2]);
      if (ent_valid_o && !ent_drain_o) assert (f_pop_q[2] || f_pop_q[3]);
      for (int i = 0; i < 6; i++) if (f_update_q[i]) assert (f_pop_q[i+3] || f_pop_q[i+4]);
      assert ((ent_valid_o && ent_drain_o) == f_drain_q[0]);
      assert (drain_pause_q == f_drain_q[0]);
      assert ((f_slot_q[8:1] & f_slot_q[7:0]) == '0);
      assert ((f_pop_q[10:1] & f_pop_q[9:0]) == '0);
      assert ((f_drain_q[12:1] & f_drain_q[11:0]) == '0);

      // Slots and drains never mix.
      for (int i = 0; i < 9; i++) if (f_slot_q[i]) assert (f_waiting_q != '0 || (f_pop_q & ((11'd1 << i) - 11'd1)) != '0);
      for (int i = 0; i < 13; i++) if (f_drain_q[i]) assert (draining_q || (flushing_q && int'(flush_q) <= i));
      if (draining_q || flushing_q) assert (inflight_q == '0);
      assert (!(draining_q && flushing_q));

      // The limit, the stall.
      assert (f_allowed(fill_limit_o, 1));
      assert (f_allowed(f_limit_1_q, 2));
      assert (f_allowed(f_limit_2_q, 3));
      if (!f_full_q)    assert (f_sum <= 10'(Room) + f_begun(4, 9));
      if (!f_row_q)     assert (f_sum <= 10'(Room) + f_begun(5, 10));
      if (!f_stall_q)   assert (f_sum <= 10'(Room) + f_begun(6, 11));
      if (!f_stall_1_q) assert (f_sum <= 10'(Room) + f_begun(7, 12));
      if (!f_stall_2_q) assert (f_sum <= 10'(Room) + f_begun(8, 13));
    end
  end
