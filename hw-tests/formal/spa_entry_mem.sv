//! uses spa_ram_1r1w spa_delay
//! parameters LabelBits=2 CountBits=2 RvCapacity=4
//! depth 12
//! faults 20 CountBits=1
//! mutant max_a_3_q   <= count_a == Max => max_a_3_q   <= 1'b0
//! mutant hit && !full ? old_count + 1'b1 => hit ? old_count + 1'b1
//! mutant if (hit_a_3_q) entry_4_q[2*PairBits-1:PairBits] => if (hit) entry_4_q[2*PairBits-1:PairBits]
//! mutant (!hit && some_b_3_q) => !hit
//! mutant second_4_q <= some_b_3_q => second_4_q <= some_a_3_q

  // Label entry as Algorithm 1 writes it, for one RV, any one: the same entry and the same messages in the same cycle.
  (* hierconn *) wire [RvBits-1:0]     \u_ram.f_address ;
  (* hierconn *) wire [2*PairBits-1:0] \u_ram.f_word ;

  logic [3:0] f_cycle_q = 4'd0;
  always_ff @(posedge clk_i) if (f_cycle_q != 4'd15) f_cycle_q <= f_cycle_q + 1'b1;

  logic [LabelBits-1:0] f_first_label_q, f_second_label_q, f_first_label_d, f_second_label_d;
  logic [CountBits-1:0] f_first_count_q, f_second_count_q, f_first_count_d, f_second_count_d;
  logic                 f_known_q;      // the first collected iteration has been here
  logic [3:0]           f_age_q;        // cycles since the last operation on this RV
  logic                 f_mine, f_send, f_send_second;
  logic [PairBits-1:0]  f_pair, f_second;

  assign f_mine = rst_ni && valid_i && addr_i == \u_ram.f_address ;

  always_comb begin
    f_first_label_d  = f_first_label_q;
    f_first_count_d  = f_first_count_q;
    f_second_label_d = f_second_label_q;
    f_second_count_d = f_second_count_q;
    f_send           = 1'b0;
    f_send_second    = 1'b0;
    f_pair           = '0;
    f_second         = {f_second_label_q, f_second_count_q};
    if (f_mine && drain_i) begin
      f_send        = f_first_count_q != '0;
      f_pair        = {f_first_label_q, f_first_count_q};
      f_send_second = f_second_count_q != '0;
    end else if (f_mine && first_i) begin
      f_first_label_d  = label_i;
      f_first_count_d  = keep_i ? '0 : CountBits'(1);
      f_second_count_d = '0;
    end else if (f_mine && !keep_i) begin
      if (f_first_count_q != '0 && label_i == f_first_label_q) begin
        f_send          = f_first_count_q == Max;
        f_pair          = {label_i, Max};
        f_first_count_d = f_send ? CountBits'(1) : f_first_count_q + 1'b1;
      end else begin
        f_first_label_d  = label_i;
        f_second_label_d = f_first_label_q;
        f_second_count_d = f_first_count_q;
        if (f_second_count_q != '0 && label_i == f_second_label_q) begin
          f_send          = f_second_count_q == Max;
          f_pair          = {label_i, Max};
          f_first_count_d = f_send ? CountBits'(1) : f_second_count_q + 1'b1;
        end else begin
          f_send          = f_second_count_q != '0;
          f_pair          = {f_second_label_q, f_second_count_q};
          f_first_count_d = CountBits'(1);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_known_q <= 1'b0;
      f_age_q   <= 4'd0;
    end else begin
      if (f_mine) f_known_q <= 1'b1;
      f_age_q <= f_mine ? 4'd0 : f_age_q == 4'd15 ? f_age_q : f_age_q + 1'b1;
    end
    f_first_label_q  <= f_first_label_d;
    f_first_count_q  <= f_first_count_d;
    f_second_label_q <= f_second_label_d;
    f_second_count_q <= f_second_count_d;
  end

  logic                f_drain_q, f_mine_then, f_send_then, f_busy_then, f_drain_then, f_second_then;
  logic [PairBits-1:0] f_pair_then, f_second_pair;
  spa_delay #(.Width(3 + PairBits), .Stages(4)) u_f_then (
    .clk_i, .data_i({f_mine, valid_i & rst_ni, f_send, f_pair}), .data_o({f_mine_then, f_busy_then, f_send_then, f_pair_then})
  );
  spa_delay #(.Width(2 + PairBits), .Stages(5)) u_f_second (
    .clk_i, .data_i({f_mine && drain_i, f_send_second, f_second}), .data_o({f_drain_then, f_second_then, f_second_pair})
  );
  logic f_any_drain_then;
  spa_delay #(.Width(1), .Stages(5)) u_f_any (.clk_i, .data_i(rst_ni && valid_i && drain_i), .data_o(f_any_drain_then));

  always_ff @(posedge clk_i) f_drain_q <= rst_ni && valid_i && drain_i;

  // The older label matters only with a count.
  function automatic logic f_same(input [PairBits-1:0] a, input [PairBits-1:0] b);
    f_same = a[CountBits-1:0] == b[CountBits-1:0] && (a[CountBits-1:0] == '0 || a == b);
  endfunction

  always_comb begin
    // Reset lasts (32 cycles in the card), then does not come back.
    assume (rst_ni == (f_cycle_q >= 4'd6));
    if (rst_ni) begin
      // Rules of the scheduler: a RV comes again after a whole pass, drains every second cycle; the first entry is marked.
      if (f_mine) assume (!f_known_q || f_age_q >= 4'd4);
      if (f_drain_q) assume (!valid_i);
      if (f_mine && !f_known_q) assume (first_i && !drain_i);
      if (f_known_q) begin
        assert (f_first_count_q != '0 || f_second_count_q == '0);
        if (f_age_q >= 4'd4) assert (f_same(\u_ram.f_word [PairBits-1:0], {f_first_label_q, f_first_count_q})
                                     && f_same(\u_ram.f_word [2*PairBits-1:PairBits], {f_second_label_q, f_second_count_q}));
      end
      if (f_mine_then) begin
        assert (push_o == f_send_then);
        if (push_o) assert (message_o == {\u_ram.f_address , f_pair_then});
      end else if (f_drain_then) begin
        assert (push_o == f_second_then);
        if (push_o) assert (message_o == {\u_ram.f_address , f_second_pair});
      end else if (!f_busy_then && !f_any_drain_then) begin
        assert (!push_o);
      end
    end
  end
