// spa_axi_read: reads consecutive lines over AXI4 in bursts and hands them on in order.
//
// Bursts are INCR, up to 16 lines and never cross a block of 16 lines, hence never 4 KiB. A burst is asked for only when
// the FIFO has room for all of it, so read data never waits and a soft reset can let it run out.

module spa_axi_read #(
  parameter int LineBits  = 512,
  parameter int FifoDepth = 32  // power of two, 32 or more: two bursts in flight
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                start_i,  // pulse, while idle
  input  logic [63:0]         base_i,   // multiple of the line
  input  logic [31:0]         lines_i,
  input  logic                hold_i,   // start no transaction
  output logic                idle_o,   // everything asked for and handed on
  output logic                quiet_o,  // no transaction in flight
  output logic                error_o,  // pulse: error response

  output logic                line_valid_o,
  output logic [LineBits-1:0] line_data_o,
  input  logic                line_ready_i,

  // AXI4 master, read channels
  output logic                m_axi_arvalid_o,
  input  logic                m_axi_arready_i,
  output logic [63:0]         m_axi_araddr_o,
  output logic [7:0]          m_axi_arlen_o,
  input  logic                m_axi_rvalid_i,
  output logic                m_axi_rready_o,
  input  logic [LineBits-1:0] m_axi_rdata_i,
  input  logic [1:0]          m_axi_rresp_i
);

  localparam int LineShift  = $clog2(LineBits / 8);
  localparam int BurstMax   = 16;
  localparam int CreditBits = $clog2(FifoDepth) + 1;

  // A burst takes four states; it carries up to 16 lines, so this costs no bandwidth.
  localparam logic [1:0] StateIdle   = 2'd0;
  localparam logic [1:0] StateLength = 2'd1;
  localparam logic [1:0] StateCredit = 2'd2;
  localparam logic [1:0] StateAsk    = 2'd3;

  logic [1:0]            state_q;
  logic [31:LineShift]   low_q;
  logic [32:LineShift]   low_next;
  logic [31:0]           high_q;
  logic [31:0]           left_q;      // lines not yet asked for
  logic [4:0]            to_block;    // lines to the end of the block
  logic [4:0]            length_d;
  logic [4:0]            length_q;
  logic [CreditBits-1:0] credit_q;    // room in the FIFO that no burst has claimed
  logic [CreditBits-1:0] in_flight_q;
  logic                  ask;
  logic                  pop;

  assign to_block = 5'(BurstMax) - {1'b0, low_q[LineShift +: 4]};
  assign length_d = ((left_q[31:5] == '0) && (left_q[4:0] < to_block)) ? left_q[4:0] : to_block;
  assign low_next = {1'b0, low_q} + (33 - LineShift)'(length_q);
  assign ask      = (state_q == StateAsk) && m_axi_arready_i;
  assign pop      = line_valid_o && line_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= StateIdle;
      low_q    <= '0;
      high_q   <= '0;
      left_q   <= '0;
      length_q <= '0;
    end else begin
      case (state_q)
        StateIdle: begin
          low_q  <= base_i[31:LineShift];
          high_q <= base_i[63:32];
          left_q <= lines_i;
          if (start_i) state_q <= StateLength;
        end
        StateLength: begin
          length_q <= length_d;
          state_q  <= ((left_q == '0) || hold_i) ? StateIdle : StateCredit;
        end
        StateCredit: begin
          if (hold_i) state_q <= StateIdle;
          else if (credit_q >= CreditBits'(length_q)) state_q <= StateAsk;
        end
        default: begin
          if (m_axi_arready_i) begin
            low_q   <= low_next[31:LineShift];
            if (low_next[32]) high_q <= high_q + 1'b1;
            left_q  <= left_q - 32'(length_q);
            state_q <= StateLength;
          end
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      credit_q    <= CreditBits'(FifoDepth);
      in_flight_q <= '0;
    end else begin
      credit_q    <= credit_q - (ask ? CreditBits'(length_q) : '0) + CreditBits'(pop);
      in_flight_q <= in_flight_q + (ask ? CreditBits'(length_q) : '0) - CreditBits'(m_axi_rvalid_i);
    end
  end

  assign m_axi_arvalid_o = state_q == StateAsk;
  assign m_axi_araddr_o  = {high_q, low_q, {LineShift{1'b0}}};
  assign m_axi_arlen_o   = 8'(length_q) - 8'd1;
  assign m_axi_rready_o  = 1'b1;

  logic unused_almost_full;

  spa_fifo #(
    .Width      (LineBits),
    .Depth      (FifoDepth),
    .AlmostFull (FifoDepth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .wr_valid_i    (m_axi_rvalid_i),
    .wr_data_i     (m_axi_rdata_i),
    .almost_full_o (unused_almost_full),
    .rd_valid_o    (line_valid_o),
    .rd_data_o     (line_data_o),
    .rd_ready_i    (line_ready_i)
  );

  // Bases are multiples of a line; an error response has its upper bit set.
  logic unused_bits;
  assign unused_bits = ^{base_i[LineShift-1:0], m_axi_rresp_i[0]};

  assign quiet_o = (state_q == StateIdle) && (in_flight_q == '0);
  assign idle_o  = quiet_o && (credit_q == CreditBits'(FifoDepth));
  assign error_o = m_axi_rvalid_i && m_axi_rresp_i[1];

endmodule
