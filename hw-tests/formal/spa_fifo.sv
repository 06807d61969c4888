//! uses spa_order_check
//! parameters Width=3 Depth=4 AlmostFull=2
//! depth 10
//! mutant level_q <= level_q + 1'b1 => level_q <= level_q
//! mutant (!out_valid_q || rd_ready_i) => 1'b1
//! mutant almost_full_q <= level_q >= => almost_full_q <= level_q >

  // The writer's contract: no more words inside than the memory holds (spa_axi_read keeps credits so).
  logic             f_reset_q = 1'b0;
  logic [7:0]       f_count, f_ahead;
  logic             f_chosen;
  logic [Width-1:0] f_data;

  always_ff @(posedge clk_i) f_reset_q <= 1'b1;
  always_comb if (!f_reset_q) assume (!rst_ni);

  spa_order_check #(.Width(Width), .Bits(8)) u_order (
    .clk_i, .rst_ni, .may_choose_i(1'b1),
    .push_i(wr_valid_i), .push_data_i(wr_data_i), .pop_i(rd_valid_o && rd_ready_i), .pop_data_i(rd_data_o),
    .count_o(f_count), .chosen_o(f_chosen), .ahead_o(f_ahead), .data_o(f_data)
  );

  logic [PointerBits-1:0] f_place;
  assign f_place = rd_pointer_q + PointerBits'(f_ahead) - PointerBits'(out_valid_q);

  always_comb begin
    if (rst_ni) begin
      assume (!wr_valid_i || f_count < 8'(Depth));
      // Never overflows; a word is inside exactly if it is in the memory or in the output register.
      assert (level_q <= (PointerBits + 1)'(Depth));
      assert (f_count == 8'(level_q) + 8'(out_valid_q));
      assert (PointerBits'(wr_pointer_q - rd_pointer_q) == PointerBits'(level_q));
      if (f_chosen && f_ahead == '0 && out_valid_q) assert (out_data_q == f_data);
      else if (f_chosen) assert (mem[f_place] == f_data);
      // No word of the memory is read in the cycle in which it is written.
      if (fetch && wr_valid_i) assert (wr_pointer_q != rd_pointer_q);
    end
  end

  // The head stands until it is taken, and appears the cycle after the memory has one.
  always_ff @(posedge clk_i) begin
    if (f_reset_q && rst_ni && $past(rst_ni)) begin
      if ($past(rd_valid_o && !rd_ready_i)) assert (rd_valid_o && $stable(rd_data_o));
      if ($past(level_q != '0)) assert (rd_valid_o);
      assert (almost_full_o == ($past(level_q) >= (PointerBits + 1)'(AlmostFull)));
    end
  end
