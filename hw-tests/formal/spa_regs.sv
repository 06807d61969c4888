//! depth 8
//! mutant else if (s_axil_rready_i) r_valid_q <= 1'b0 => else r_valid_q <= 1'b0
//! mutant if (s_axil_bready_i) b_valid_q <= 1'b0 => b_valid_q <= 1'b0
//! mutant s_axil_arready_o = !ar_valid_q && !set_valid_q && !mux_valid_q && !r_valid_q => s_axil_arready_o = !ar_valid_q && !set_valid_q && !mux_valid_q
//! mutant write            = aw_valid_q && w_valid_q && !b_valid_q => write            = aw_valid_q && w_valid_q

  // AXI4-Lite: an answer stands until it is taken, and there is one for every request.
  logic f_reset_q = 1'b0;
  always_ff @(posedge clk_i) f_reset_q <= 1'b1;
  always_comb if (!f_reset_q) assume (!rst_ni);

  logic [7:0] f_addresses_q, f_words_q, f_reads_q;  // accepted and not answered
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_addresses_q <= '0;
      f_words_q     <= '0;
      f_reads_q     <= '0;
    end else begin
      f_addresses_q <= f_addresses_q + 8'(s_axil_awvalid_i && s_axil_awready_o) - 8'(s_axil_bvalid_o && s_axil_bready_i);
      f_words_q     <= f_words_q + 8'(s_axil_wvalid_i && s_axil_wready_o) - 8'(s_axil_bvalid_o && s_axil_bready_i);
      f_reads_q     <= f_reads_q + 8'(s_axil_arvalid_i && s_axil_arready_o) - 8'(s_axil_rvalid_o && s_axil_rready_i);
    end
  end

  always_comb begin
    if (rst_ni) begin
      assert (f_addresses_q == 8'(aw_valid_q) + 8'(b_valid_q));
      assert (f_words_q == 8'(w_valid_q) + 8'(b_valid_q));
      assert (f_reads_q == 8'(ar_valid_q) + 8'(set_valid_q) + 8'(mux_valid_q) + 8'(r_valid_q) && f_reads_q <= 8'd1);
      assert (s_axil_bresp_o == 2'b00 && s_axil_rresp_o == 2'b00);
    end
  end

  always_ff @(posedge clk_i) begin
    if (f_reset_q && rst_ni && $past(rst_ni)) begin
      if ($past(s_axil_bvalid_o && !s_axil_bready_i)) assert (s_axil_bvalid_o);
      if ($past(s_axil_rvalid_o && !s_axil_rready_i)) assert (s_axil_rvalid_o && $stable(s_axil_rdata_o));
      // Answers come: a write in the cycle after both halves are there, a read in the fourth.
      if ($past(aw_valid_q && w_valid_q && !b_valid_q)) assert (s_axil_bvalid_o);
      if ($past(mux_valid_q)) assert (s_axil_rvalid_o);
      if ($past(set_valid_q)) assert (mux_valid_q);
      if ($past(ar_valid_q)) assert (set_valid_q);
    end
  end
