// spa_ccip_mmio: CCI-P register accesses as AXI4-Lite, one at a time and in order.
//
// CCI-P cannot hold a request back, so requests wait in a FIFO: 64 reads are the platform's limit, and the driver writes
// fewer registers than the rest between two reads. Accesses of 4 and 8 bytes are taken. Reads beyond the registers give 0,
// writes there are dropped: every read is answered.

module spa_ccip_mmio #(
  parameter int AxilAddrBits = 16,
  parameter int FifoDepth    = 256  // power of two
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // From the platform
  input  logic                    read_i,
  input  logic                    write_i,
  input  logic [15:0]             addr_i,  // in units of 4 bytes
  input  logic [1:0]              length_i,  // 0: 4 bytes, 1: 8 bytes
  input  logic [8:0]              tid_i,
  input  logic [63:0]             data_i,

  // To the platform
  output logic                    answer_o,
  output logic [8:0]              answer_tid_o,
  output logic [63:0]             answer_data_o,

  // AXI4-Lite master
  output logic                    m_axil_awvalid_o,
  input  logic                    m_axil_awready_i,
  output logic [AxilAddrBits-1:0] m_axil_awaddr_o,
  output logic                    m_axil_wvalid_o,
  input  logic                    m_axil_wready_i,
  output logic [63:0]             m_axil_wdata_o,
  output logic [7:0]              m_axil_wstrb_o,
  input  logic                    m_axil_bvalid_i,
  output logic                    m_axil_bready_o,
  output logic                    m_axil_arvalid_o,
  input  logic                    m_axil_arready_i,
  output logic [AxilAddrBits-1:0] m_axil_araddr_o,
  input  logic                    m_axil_rvalid_i,
  output logic                    m_axil_rready_o,
  input  logic [63:0]             m_axil_rdata_i
);

  localparam int         RequestBits = 1 + 1 + 16 + 9 + 64;
  localparam logic [1:0] StateIdle   = 2'd0;
  localparam logic [1:0] StateWrite  = 2'd1;
  localparam logic [1:0] StateRead   = 2'd2;

  logic        request_valid;
  logic        request_write;
  logic        request_wide;
  logic [15:0] request_addr;
  logic [8:0]  request_tid;
  logic [63:0] request_data;
  logic        in_range;
  logic        upper;  // 4 bytes in the upper half of a register
  logic        pop;
  logic [1:0]  state_q;
  logic        aw_valid_q;
  logic        w_valid_q;
  logic        ar_valid_q;
  logic        unused_almost_full;

  spa_fifo #(
    .Width      (RequestBits),
    .Depth      (FifoDepth),
    .AlmostFull (FifoDepth)
  ) u_requests (
    .clk_i,
    .rst_ni,
    .wr_valid_i    (read_i || write_i),
    .wr_data_i     ({write_i, length_i != 2'd0, addr_i, tid_i, data_i}),
    .almost_full_o (unused_almost_full),
    .rd_valid_o    (request_valid),
    .rd_data_o     ({request_write, request_wide, request_addr, request_tid, request_data}),
    .rd_ready_i    (pop)
  );

  assign in_range = request_addr[15:AxilAddrBits-2] == '0;
  assign upper  = !request_wide && request_addr[0];
  assign pop    = (state_q == StateWrite) ? m_axil_bvalid_i
    : (state_q == StateRead) ? m_axil_rvalid_i
    : request_valid && !in_range;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q    <= StateIdle;
      aw_valid_q <= 1'b0;
      w_valid_q  <= 1'b0;
      ar_valid_q <= 1'b0;
      answer_o   <= 1'b0;
    end else begin
      answer_o <= pop && !request_write;
      if (m_axil_awready_i) aw_valid_q <= 1'b0;
      if (m_axil_wready_i) w_valid_q <= 1'b0;
      if (m_axil_arready_i) ar_valid_q <= 1'b0;
      if (state_q == StateIdle) begin
        if (request_valid && in_range) begin
          state_q    <= request_write ? StateWrite : StateRead;
          aw_valid_q <= request_write;
          w_valid_q  <= request_write;
          ar_valid_q <= !request_write;
        end
      end else if (pop) begin
        state_q <= StateIdle;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    answer_tid_o  <= request_tid;
    answer_data_o <= (state_q != StateRead) ? '0 : upper ? {32'd0, m_axil_rdata_i[63:32]} : m_axil_rdata_i;
  end

  assign m_axil_awvalid_o = aw_valid_q;
  assign m_axil_awaddr_o  = {request_addr[AxilAddrBits-3:1], 3'd0};
  assign m_axil_wvalid_o  = w_valid_q;
  assign m_axil_wdata_o   = upper ? {request_data[31:0], 32'd0} : request_data;
  assign m_axil_wstrb_o   = request_wide ? 8'hFF : upper ? 8'hF0 : 8'h0F;
  assign m_axil_bready_o  = 1'b1;
  assign m_axil_arvalid_o = ar_valid_q;
  assign m_axil_araddr_o  = {request_addr[AxilAddrBits-3:1], 3'd0};
  assign m_axil_rready_o  = 1'b1;

endmodule
