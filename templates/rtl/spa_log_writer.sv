// spa_log_writer: writes lines to memory over AXI4, one line a beat, into the log ring or to consecutive addresses.
//
// Ring: line i goes to base + (i mod ring_lines) * line bytes, only while i - read_index < ring_lines; otherwise it waits
// and nothing is overwritten. The write index counts lines that memory has confirmed. All transactions carry one
// identifier, so responses come in order. Up to `Outstanding` writes are in flight, one may begin every cycle; the
// response channel is always ready.

module spa_log_writer #(
  parameter int LineBits    = 512,
  parameter int FifoDepth   = 16,
  parameter int Outstanding = 64  // power of two
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // Commands, while nothing is in flight
  input  logic                  clear_i,         // pulse: a start was accepted, the write index is 0
  input  logic                  ring_start_i,    // pulse: empty the ring, start at its base
  input  logic                  linear_start_i,  // pulse: the next lines go to consecutive addresses
  input  logic                  hold_i,          // start no transaction
  input  logic [63:0]           ring_base_i,
  input  logic [23:0]           ring_lines_i,
  input  logic [31:0]           ring_read_index_i,
  input  logic [63:0]           linear_base_i,

  // Lines; room for FifoDepth / 2 - 1 more once almost full
  input  logic                  line_valid_i,
  input  logic [LineBits-1:0]   line_data_i,
  output logic                  line_almost_full_o,

  // Status
  output logic                  idle_o,         // nothing waiting, nothing in flight
  output logic                  quiet_o,        // nothing in flight
  output logic                  ring_full_o,    // a line waits for the host
  output logic                  memory_wait_o,  // a line waits for memory
  output logic                  line_done_o,    // pulse: a log line is confirmed
  output logic [31:0]           write_index_o,  // log lines confirmed, modulo 2^32
  output logic                  error_o,        // pulse: error response
  output logic                  ring_error_o,   // pulse: the host read past the lines issued

  // AXI4 master, write channels
  output logic                  m_axi_awvalid_o,
  input  logic                  m_axi_awready_i,
  output logic [63:0]           m_axi_awaddr_o,
  output logic                  m_axi_wvalid_o,
  input  logic                  m_axi_wready_i,
  output logic [LineBits-1:0]   m_axi_wdata_o,
  input  logic                  m_axi_bvalid_i,
  output logic                  m_axi_bready_o,
  input  logic [1:0]            m_axi_bresp_i
);

  localparam int LineShift       = $clog2(LineBits / 8);
  localparam int OutstandingBits = $clog2(Outstanding);
  localparam int WaitingBits     = $clog2(FifoDepth + 2);  // the FIFO and its output register

  logic line_valid;
  logic issue;       // a line gets leave to go to memory
  logic address;     // its address is accepted
  logic data;        // its data are accepted
  logic w_owed;

  spa_fifo #(
    .Width      (LineBits),
    .Depth      (FifoDepth),
    .AlmostFull (FifoDepth / 2)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .wr_valid_i    (line_valid_i),
    .wr_data_i     (line_data_i),
    .almost_full_o (line_almost_full_o),
    .rd_valid_o    (line_valid),
    .rd_data_o     (m_axi_wdata_o),
    .rd_ready_i    (w_owed && m_axi_wready_i)
  );

  // Room in the ring. `room_q` looks at lines issued at once and at the host's progress two cycles late, which is safe.
  logic        ring_q;
  logic [23:0] read_index_q;
  logic [23:0] freed_q;
  logic [23:0] freed_less_q;  // freed_q - 1
  logic [23:0] free_q;
  logic [23:0] free_d;
  logic        room_q;
  logic        returned_q;  // the host has just given lines back
  logic        ring_error_q;

  // free_q + freed_q, less one if a line is issued: one carry chain.
  logic unused_carry;
  assign {free_d, unused_carry} = {free_q, 1'b1} + {freed_less_q, !(issue && ring_q)};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ring_q       <= 1'b0;
      read_index_q <= '0;
      freed_q      <= '0;
      freed_less_q <= '1;
      free_q       <= '0;
      room_q       <= 1'b0;
      returned_q   <= 1'b0;
      ring_error_q <= 1'b0;
    end else begin
      read_index_q <= ring_read_index_i[23:0];
      freed_q      <= ring_read_index_i[23:0] - read_index_q;
      freed_less_q <= ring_read_index_i[23:0] + ~read_index_q;
      if (ring_start_i) begin
        ring_q <= 1'b1;
        free_q <= ring_lines_i;
        room_q <= 1'b0;
      end else begin
        if (clear_i || linear_start_i) ring_q <= 1'b0;
        free_q <= free_d;
        room_q <= !ring_q || (free_q[23:1] != '0) || (free_q[0] && !issue);
      end
      returned_q   <= freed_q != '0;
      ring_error_q <= ring_q && returned_q && (free_q > ring_lines_i);
    end
  end

  // Address of the next line, in two halves: the upper one is always at hand incremented.
  logic [31:LineShift] low_q;
  logic [32:LineShift] low_next;
  logic [31:0]         high_q;
  logic [31:0]         high_next_q;
  logic [31:0]         base_next_q;  // the same for the base of the ring
  logic                rewind;
  logic [23:0]         left_q;  // lines to the end of the ring
  logic                last_q;  // left_q is 1

  assign low_next = {1'b0, low_q} + 1'b1;
  assign rewind   = ring_start_i || (address && ring_q && last_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      low_q  <= '0;
      high_q <= '0;
      left_q <= '0;
      last_q <= 1'b0;
    end else if (rewind) begin
      low_q  <= ring_base_i[31:LineShift];
      high_q <= ring_base_i[63:32];
      left_q <= ring_lines_i;
      last_q <= ring_lines_i == 24'd1;
    end else if (linear_start_i) begin
      low_q  <= linear_base_i[31:LineShift];
      high_q <= linear_base_i[63:32];
    end else if (address) begin
      low_q  <= low_next[31:LineShift];
      high_q <= low_next[32] ? high_next_q : high_q;
      left_q <= left_q - 1'b1;
      last_q <= left_q == 24'd2;
    end
  end

  // The line after the first of the ring may follow at once.
  always_ff @(posedge clk_i) begin
    base_next_q <= ring_base_i[63:32] + 1'b1;
    high_next_q <= rewind ? base_next_q : high_q + 1'b1;
  end

  // Leave is given from registers alone: no path leads from the bus to the addresses or the FIFO of another channel.
  // Address and data of a line are then owed, at most two of each, and accepted apart.
  logic [WaitingBits-1:0]   waiting_q;  // lines that have no leave yet
  logic [1:0]               aw_owed_q;
  logic [1:0]               w_owed_q;
  logic [OutstandingBits:0] in_flight_q;
  logic                     start_q;    // another may be in flight; looks a cycle back
  logic                     memory_free;
  logic                     response;

  assign memory_free = !aw_owed_q[1] && !w_owed_q[1] && start_q;
  assign issue       = (waiting_q != '0) && memory_free && room_q;
  assign address     = m_axi_awvalid_o && m_axi_awready_i;
  assign data        = m_axi_wvalid_o && m_axi_wready_i;
  assign response    = m_axi_bvalid_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waiting_q   <= '0;
      aw_owed_q   <= '0;
      w_owed_q    <= '0;
      in_flight_q <= '0;
      start_q     <= 1'b0;
    end else begin
      start_q <= !hold_i && (in_flight_q < (OutstandingBits + 1)'(Outstanding - 1));
      if (line_valid_i && !issue) waiting_q <= waiting_q + 1'b1;
      else if (!line_valid_i && issue) waiting_q <= waiting_q - 1'b1;
      if (issue && !address) aw_owed_q <= aw_owed_q + 1'b1;
      else if (!issue && address) aw_owed_q <= aw_owed_q - 1'b1;
      if (issue && !data) w_owed_q <= w_owed_q + 1'b1;
      else if (!issue && data) w_owed_q <= w_owed_q - 1'b1;
      if (issue && !response) in_flight_q <= in_flight_q + 1'b1;
      else if (!issue && response) in_flight_q <= in_flight_q - 1'b1;
    end
  end

  assign w_owed          = w_owed_q != '0;
  assign m_axi_awvalid_o = aw_owed_q != '0;
  assign m_axi_awaddr_o  = {high_q, low_q, {LineShift{1'b0}}};
  assign m_axi_wvalid_o  = w_owed && line_valid;
  assign m_axi_bready_o  = 1'b1;

  // Confirmed lines and status.
  logic        line_done_q;
  logic        error_q;
  logic [31:0] write_index_q;
  logic        idle_q;
  logic        ring_full_q;
  logic        memory_wait_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      line_done_q   <= 1'b0;
      error_q       <= 1'b0;
      write_index_q <= '0;
      idle_q        <= 1'b0;
      ring_full_q   <= 1'b0;
      memory_wait_q <= 1'b0;
    end else begin
      line_done_q   <= response && ring_q;
      error_q       <= response && m_axi_bresp_i[1];
      idle_q        <= quiet_o && (waiting_q == '0) && !line_valid_i;
      ring_full_q   <= (waiting_q != '0) && !room_q;
      memory_wait_q <= (waiting_q != '0) && !memory_free;
      if (clear_i) write_index_q <= '0;
      else if (line_done_q) write_index_q <= write_index_q + 1'b1;
    end
  end

  // Bases are multiples of a line, the ring is shorter than 2^24 lines, an error response has its upper bit set.
  logic unused_bits;
  assign unused_bits = ^{ring_base_i[LineShift-1:0], linear_base_i[LineShift-1:0], ring_read_index_i[31:24],
    m_axi_bresp_i[0]};

  assign quiet_o       = in_flight_q == '0;  // counts from the leave on
  assign idle_o        = idle_q;
  assign ring_full_o   = ring_full_q;
  assign memory_wait_o = memory_wait_q;
  assign line_done_o   = line_done_q;
  assign write_index_o = write_index_q;
  assign error_o       = error_q;
  assign ring_error_o  = ring_error_q;

endmodule
