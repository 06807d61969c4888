//! uses spa_order_check spa_ram_1r1w
//! parameters Width=3 Depth=4
//! depth 8
//! mutant waiting = fill_o != '0 && !pop => waiting = fill_o != '0
//! mutant valid_o <= waiting && read_q => valid_o <= waiting
//! mutant if (!push_i && pop) fill_o => if (pop) fill_o

  // The array's contract: no push into a full FIFO (it withholds slots; the RTL stops a simulation that breaks it).
  logic             f_reset_q = 1'b0;
  logic [7:0]       f_count, f_ahead;
  logic             f_chosen;
  logic [Width-1:0] f_data;

  always_ff @(posedge clk_i) f_reset_q <= 1'b1;
  always_comb if (!f_reset_q) assume (!rst_ni);

  (* hierconn *) wire [AddrBits-1:0] \u_ram.f_address ;
  (* hierconn *) wire [Width-1:0]    \u_ram.f_word ;
  (* hierconn *) wire [Width-1:0]    \u_ram.read_q ;

  spa_order_check #(.Width(Width), .Bits(8)) u_order (
    .clk_i, .rst_ni, .may_choose_i(waddr_q == \u_ram.f_address ),
    .push_i, .push_data_i(data_i), .pop_i(pop), .pop_data_i(data_o),
    .count_o(f_count), .chosen_o(f_chosen), .ahead_o(f_ahead), .data_o(f_data)
  );

  always_comb begin
    if (rst_ni) begin
      assume (!push_i || int'(fill_o) < Depth);
      assert (f_count == 8'(fill_o));
      assert (int'(fill_o) <= Depth);
      assert (AddrBits'(waddr_q - raddr_q) == AddrBits'(fill_o));
      if (valid_o || read_q) assert (fill_o != '0);
      if (f_chosen) begin
        assert (\u_ram.f_word == f_data);
        assert (AddrBits'(raddr_q + f_ahead) == \u_ram.f_address );
        if (f_ahead == '0 && read_q) assert (\u_ram.read_q == f_data);
        if (f_ahead == '0 && valid_o) assert (data_o == f_data);
      end
      // No word that will be used is read in the cycle in which it is written.
      if (waiting && push_i) assert (waddr_q != raddr_q);
    end
  end

  // The head stands until it is taken; a message waits two cycles for the RAM at most.
  always_ff @(posedge clk_i) begin
    if (f_reset_q && rst_ni && $past(rst_ni)) begin
      if ($past(valid_o && !ready_i)) assert (valid_o && $stable(data_o));
      if ($past(waiting)) assert (read_q);
      if ($past(waiting && read_q)) assert (valid_o);
    end
  end
