//! parameters Inputs=2 MessageBits=2 LineBits=8
//! depth 4
//! faults 10
//! mutant (FillBits'(s) < fill_q) ? held : message => (FillBits'(s) <= fill_q) ? held : message
//! mutant (hit != '0) ? message : held => message
//! mutant fill_q       <= flush_i ? '0 : sum[FillBits-1:0] => fill_q       <= sum[FillBits-1:0]
//! mutant take[i] && (count_d == 3'(p)) => take[i] && (p == i)
//! mutant full || (flush_i && (fill_q != '0)) => full

  // Any message that is taken leaves in one line, in the slot that its number says. A flush comes while none is on its way.
  logic                   f_reset_q = 1'b0;
  (* anyseq *) logic      f_choose;
  (* anyconst *) logic [$clog2(Inputs)-1:0] f_input;
  logic [1:0]             f_stage_q;     // of the chosen message: 0 none, 1 packed, 2 held
  logic [2:0]             f_before;      // messages taken before it in its cycle
  logic [2:0]             f_index_q;     // its place among the packed ones
  logic [FillBits-1:0]    f_next;        // slot of the next message
  logic [FillBits-1:0]    f_slot_q;      // its slot
  logic [MessageBits-1:0] f_data_q, f_packed, f_held, f_line;
  logic                   f_leaves;

  always_ff @(posedge clk_i) f_reset_q <= 1'b1;
  always_comb if (!f_reset_q) assume (!rst_ni);

  always_comb begin
    f_before = '0;
    for (int i = 0; i < Inputs; i++) if (i < int'(f_input)) f_before = f_before + 3'(take[i]);
    f_packed = '0;
    for (int p = 0; p < Inputs; p++) if (f_index_q == 3'(p)) f_packed = packed_q[p*MessageBits +: MessageBits];
    f_held = '0;
    f_line = '0;
    for (int s = 0; s < Slots; s++) begin
      if (f_slot_q == FillBits'(s)) begin
        f_held = held_q[s*MessageBits +: MessageBits];
        f_line = line_data_o[s*MessageBits +: MessageBits];
      end
    end
  end
  assign f_next   = sum[FillBits-1:0];
  assign f_leaves = f_stage_q == 2'd1 ? full && f_slot_q >= fill_q : f_stage_q == 2'd2 && (full || flush_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_stage_q <= 2'd0;
    end else if (f_stage_q == 2'd0) begin
      if (f_choose && take[f_input]) begin
        f_stage_q <= 2'd1;
        f_index_q <= f_before;
        f_slot_q  <= f_next + FillBits'(f_before);
        f_data_q  <= msg_data_i[int'(f_input)*MessageBits +: MessageBits];
      end
    end else begin
      f_stage_q <= f_leaves ? 2'd0 : 2'd2;
    end
  end

  always_comb begin
    if (rst_ni) begin
      assume (!flush_i || (count_q == '0 && take == '0));
      assert (count_q <= 3'(Inputs));
      assert (f_stage_q != 2'd3);
      if (f_stage_q == 2'd1) assert (f_index_q < count_q && f_packed == f_data_q && f_slot_q == FillBits'(fill_q + FillBits'(f_index_q)));
      if (f_stage_q == 2'd2) assert (f_slot_q < fill_q && f_held == f_data_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (f_reset_q && rst_ni && $past(rst_ni)) begin
      if ($past(f_leaves)) assert (line_valid_o && f_line == $past(f_data_q));
      if ($past(f_stage_q != 2'd0 && !f_leaves)) assert (f_stage_q == 2'd2);
      // Lines are full, or end with a flush: the slots that it leaves are 0. None is made of nothing.
      assert (line_valid_o == ($past(full) || $past(flush_i && fill_q != '0)));
      if ($past(flush_i)) begin
        assert (fill_q == '0);
        for (int s = 0; s < Slots; s++) begin
          if ($past(fill_q) <= FillBits'(s)) assert (line_data_o[s*MessageBits +: MessageBits] == '0);
        end
      end
      if (!$past(flush_i)) assert (f_next == FillBits'($past(f_next) + FillBits'(received_o)));
    end
  end
