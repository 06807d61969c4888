//! uses spa_fifo
//! parameters LineBits=16 FifoDepth=4 Outstanding=4
//! depth 2
//! faults 16
//! mutant m_axi_awvalid_o = aw_owed_q != '0 => m_axi_awvalid_o = aw_owed_q != '0 && !hold_i
//! mutant m_axi_wvalid_o  = w_owed && line_valid => m_axi_wvalid_o  = line_valid
//! mutant (free_q[0] && !issue) => free_q[0]
//! mutant last_q <= left_q == 24'd2 => last_q <= left_q == 24'd3
//! mutant (Outstanding - 1)) => (Outstanding))
//! mutant low_next[32] ? high_next_q : high_q => high_q
//! mutant if (issue && !data) w_owed_q => if (issue) w_owed_q

  // Contracts: lines come while the FIFO has room; commands come one at a time, while nothing waits and the ring's index rests;
  // the ring is set before; the host gives back lines that are confirmed; memory answers writes that it has taken whole.
  logic                    f_reset_q = 1'b0;
  logic                    f_later_q = 1'b0;
  logic [7:0]              f_inside;
  logic                    f_command;
  logic [23:0]             f_issued_q;    // lines of the ring with leave, since its start
  logic [23:0]             f_given;       // lines of the ring that the host has given back since
  logic [23:0]             f_first_q;     // the host's index at the start
  logic [23:0]             f_place_q;     // place of the next address in the ring
  logic [63:LineShift]     f_line_q;      // the next address of consecutive lines
  logic                    f_linear_q;    // consecutive lines have begun
  logic [23:0]             f_seen;        // of f_given, what free_q knows
  logic [OutstandingBits:0] f_taken;      // writes that memory has taken whole

  (* hierconn *) wire [2:0] \u_fifo.level_q ;
  (* hierconn *) wire       \u_fifo.out_valid_q ;

  always_ff @(posedge clk_i) begin
    f_reset_q <= 1'b1;
    f_later_q <= f_reset_q && rst_ni;
  end
  always_comb if (!f_reset_q) assume (!rst_ni);

  assign f_inside  = 8'(\u_fifo.level_q ) + 8'(\u_fifo.out_valid_q );
  assign f_command = clear_i || ring_start_i || linear_start_i;
  assign f_given   = ring_read_index_i[23:0] - f_first_q;
  assign f_seen    = read_index_q - freed_q - f_first_q;
  assign f_taken   = in_flight_q - (OutstandingBits + 1)'(aw_owed_q > w_owed_q ? aw_owed_q : w_owed_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || ring_start_i) f_issued_q <= '0;
    else if (issue && ring_q)    f_issued_q <= f_issued_q + 1'b1;
    if (ring_start_i)            f_first_q  <= ring_read_index_i[23:0];
    if (ring_start_i)            f_place_q  <= '0;
    else if (address)            f_place_q  <= f_place_q == ring_lines_i - 1'b1 ? '0 : f_place_q + 1'b1;
    if (!rst_ni || clear_i || ring_start_i) f_linear_q <= 1'b0;
    else if (linear_start_i)                f_linear_q <= 1'b1;
    if (linear_start_i)          f_line_q   <= linear_base_i[63:LineShift];
    else if (address)            f_line_q   <= f_line_q + 1'b1;
  end

  always_comb begin
    if (rst_ni) begin
      assume (!line_valid_i || (f_inside < 8'(FifoDepth) && (ring_q || f_linear_q)));
      assume (!f_command || (!line_valid_i && waiting_q == '0 && in_flight_q == '0));
      assume (2'(clear_i) + 2'(ring_start_i) + 2'(linear_start_i) <= 2'd1);
      assume (!ring_start_i || (freed_q == '0 && read_index_q == ring_read_index_i[23:0]));
      assume (ring_lines_i != '0 && ring_lines_i < 24'd8);
      assume (!m_axi_bvalid_i || f_taken != '0);
      // The host's index never passes the lines issued and never turns back.
      assume (!ring_q || f_given <= f_issued_q);
      assume (!ring_q || f_given >= read_index_q - f_first_q);
    end
  end

  always_comb begin
    if (rst_ni && f_later_q) begin
      // Each line has its address and its data sent once; what is in the FIFO waits for leave or owes its data.
      assert (aw_owed_q <= 2'd2 && w_owed_q <= 2'd2);
      assert ((OutstandingBits + 1)'(aw_owed_q) <= in_flight_q && (OutstandingBits + 1)'(w_owed_q) <= in_flight_q);
      assert (f_inside == 8'(waiting_q) + 8'(w_owed_q) && f_inside <= 8'(FifoDepth));
      assert (in_flight_q <= (OutstandingBits + 1)'(Outstanding));
      if (start_q) assert (in_flight_q < (OutstandingBits + 1)'(Outstanding));
      assert (m_axi_bready_o);
      if (ring_q) begin
        // No line of the ring is written over before the host has given it back.
        assert (f_issued_q - f_given <= ring_lines_i);
        assert (f_seen <= f_given && read_index_q - f_first_q <= f_given && f_seen <= f_issued_q);
        assert (f_seen <= read_index_q - f_first_q);
        assert (free_q == ring_lines_i - (f_issued_q - f_seen));
        assert (freed_less_q == freed_q - 1'b1);
        assert (free_q <= ring_lines_i);
        if (room_q) assert (free_q != '0);
        // Lines of the ring lie one after the other, from its base to its end and again.
        assert (f_place_q < ring_lines_i && left_q == ring_lines_i - f_place_q && last_q == (left_q == 24'd1));
        assert ({high_q, low_q} == ring_base_i[63:LineShift] + (64 - LineShift)'(f_place_q));
      end
      assert (ring_q || f_linear_q || (waiting_q == '0 && in_flight_q == '0));
      assert (!ring_q || !f_linear_q);
      if (f_linear_q) assert ({high_q, low_q} == f_line_q);
      if (low_next[32] && aw_owed_q != '0) assert (high_next_q == high_q + 1'b1);
      assert (base_next_q == ring_base_i[63:32] + 1'b1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (f_reset_q) begin
      assume ($stable(ring_base_i) && $stable(ring_lines_i));
      if (rst_ni && $past(rst_ni)) begin
        // What is offered stands until it is taken, whatever `hold_i` says.
        if ($past(m_axi_awvalid_o && !m_axi_awready_i)) assert (m_axi_awvalid_o && $stable(m_axi_awaddr_o));
        if ($past(m_axi_wvalid_o && !m_axi_wready_i)) assert (m_axi_wvalid_o && $stable(m_axi_wdata_o));
      end
    end
  end
