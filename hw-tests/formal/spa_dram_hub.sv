//! uses spa_order_check
//! parameters Inputs=4 MessageBits=3
//! depth 8
//! mutant tail_valid_q <= (push || tail_valid_q) && head_valid_q => tail_valid_q <= push && head_valid_q
//! mutant msg_ready_o = tail_valid_q ? '0 : grant => msg_ready_o = grant
//! mutant if (push) after_q <= ~(grant | (grant - 1'b1)) => if (push) after_q <= '0

  // What is taken from any input leaves once and in order; nobody waits for more than the other inputs once.
  logic                   f_reset_q = 1'b0;
  logic [7:0]             f_count, f_ahead;
  logic                   f_chosen;
  logic [MessageBits-1:0] f_data;
  logic [Inputs-1:0]      f_taken;
  logic [MessageBits-1:0] f_message;

  always_ff @(posedge clk_i) f_reset_q <= 1'b1;
  always_comb if (!f_reset_q) assume (!rst_ni);

  assign f_taken = msg_valid_i & msg_ready_o;
  always_comb begin
    f_message = '0;
    for (int i = 0; i < Inputs; i++) if (f_taken[i]) f_message = msg_data_i[i*MessageBits +: MessageBits];
  end

  spa_order_check #(.Width(MessageBits), .Bits(8)) u_order (
    .clk_i, .rst_ni, .may_choose_i(1'b1),
    .push_i(f_taken != '0), .push_data_i(f_message), .pop_i(msg_valid_o && msg_ready_i), .pop_data_i(msg_data_o),
    .count_o(f_count), .chosen_o(f_chosen), .ahead_o(f_ahead), .data_o(f_data)
  );

  // Waiting of one input, any one: grants to others since it asks, and how far the round robin is from it.
  (* anyconst *) logic [1:0] f_input;
  logic [2:0] f_others;
  logic [1:0] f_last, f_apart;
  assign f_apart = f_input - f_last - 2'd1;
  always_comb begin
    f_last = 2'd3;
    for (int i = 1; i < 4; i++) if (after_q[i] && !after_q[i-1]) f_last = 2'(i - 1);
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !msg_valid_i[f_input] || f_taken[f_input]) f_others <= '0;
    else if (f_taken != '0) f_others <= f_others + 1'b1;
  end

  always_comb begin
    if (rst_ni) begin
      assert ((f_taken & (f_taken - 1'b1)) == '0);
      assert (f_count == 8'(head_valid_q) + 8'(tail_valid_q));
      assert (!tail_valid_q || head_valid_q);
      if (f_chosen && f_ahead == 8'd0) assert (head_q == f_data);
      if (f_chosen && f_ahead == 8'd1) assert (tail_q == f_data);
      assert (after_q == 4'b0000 || after_q == 4'b1110 || after_q == 4'b1100 || after_q == 4'b1000);
      assert (5'(f_others) + 5'(f_apart) <= 5'd3);
    end
  end

  always_ff @(posedge clk_i) begin
    if (f_reset_q && rst_ni && $past(rst_ni)) begin
      if ($past(msg_valid_o && !msg_ready_i)) assert (msg_valid_o && $stable(msg_data_o));
      // The sender's side of the handshake
      for (int i = 0; i < Inputs; i++) if ($past(msg_valid_i[i] && !msg_ready_o[i])) assume (msg_valid_i[i]);
    end
  end
