//! uses spa_fifo
//! parameters LineBits=16 FifoDepth=32
//! depth 6
//! faults 12
//! mutant m_axi_arvalid_o = state_q == StateAsk => m_axi_arvalid_o = state_q == StateAsk && !hold_i
//! mutant credit_q >= CreditBits'(length_q) => credit_q != '0
//! mutant (left_q[4:0] < to_block)) ? left_q[4:0] : to_block => (left_q[4:0] < to_block)) ? left_q[4:0] : 5'd16
//! mutant if (low_next[32]) high_q <= high_q + 1'b1 => if (low_next[32]) high_q <= high_q
//! mutant left_q  <= left_q - 32'(length_q) => left_q  <= left_q - 32'd16

  // Memory's contract: data come for lines that were asked for, not in the cycle of the request. A start comes while idle.
  logic                  f_reset_q = 1'b0;
  logic [63:LineShift]   f_line_q;      // the next line to be asked for
  logic [31:0]           f_left_q;      // lines not yet asked for
  logic [7:0]            f_inside;
  logic [8:0]            f_end;

  (* hierconn *) wire [CreditBits-1:0] \u_fifo.level_q ;
  (* hierconn *) wire                  \u_fifo.out_valid_q ;

  always_ff @(posedge clk_i) f_reset_q <= 1'b1;
  always_comb if (!f_reset_q) assume (!rst_ni);

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      f_line_q <= base_i[63:LineShift];
      f_left_q <= lines_i;
    end else if (m_axi_arvalid_o && m_axi_arready_i) begin
      f_line_q <= f_line_q + (64 - LineShift)'(m_axi_arlen_o) + 1'b1;
      f_left_q <= f_left_q - 32'(m_axi_arlen_o) - 1'b1;
    end
  end

  assign f_inside = 8'(\u_fifo.level_q ) + 8'(\u_fifo.out_valid_q );
  assign f_end    = 9'(m_axi_araddr_o[LineShift +: 4]) + 9'(m_axi_arlen_o) + 9'd1;

  always_comb begin
    if (rst_ni) begin
      assume (!m_axi_rvalid_i || in_flight_q != '0);
      assume (!start_i || idle_o);
      // Every line has room before it is asked for, so data never wait and the FIFO never overflows.
      assert (m_axi_rready_o);
      assert (8'(credit_q) + 8'(in_flight_q) + f_inside == 8'(FifoDepth));
      assert (!m_axi_rvalid_i || f_inside < 8'(FifoDepth));
      if (state_q == StateAsk) assert (credit_q >= CreditBits'(length_q));
      // Bursts are 1 to 16 lines long, cross no block of 16 and ask for each line once, in order.
      if (m_axi_arvalid_o) begin
        assert (f_end <= 9'd16);
        assert (m_axi_araddr_o == {f_line_q, {LineShift{1'b0}}});
        assert (32'(m_axi_arlen_o) < f_left_q);
      end
      if (state_q != StateIdle) begin
        assert ({high_q, low_q} == f_line_q);
        assert (left_q == f_left_q);
      end
      if (state_q == StateCredit || state_q == StateAsk) begin
        assert (length_q == length_d && length_q != '0);
      end
    end
  end

  // A request stands until it is taken, whatever `hold_i` says.
  always_ff @(posedge clk_i) begin
    if (f_reset_q && rst_ni && $past(rst_ni)) begin
      if ($past(m_axi_arvalid_o && !m_axi_arready_i)) begin
        assert (m_axi_arvalid_o && $stable(m_axi_araddr_o) && $stable(m_axi_arlen_o));
      end
    end
  end
