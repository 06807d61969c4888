// ccip_std_afu: the accelerator behind raw CCI-P, for platforms without the Platform Interface Manager.
//
// Both directions of CCI-P pass a register here. Only requests of one line are made, on the virtual channel that the
// platform chooses.

`include "platform_if.vh"

module ccip_std_afu
  import ccip_if_pkg::*;
(
  input  logic        pClk,
  input  logic        pClkDiv2,
  input  logic        pClkDiv4,
  input  logic        uClk_usr,
  input  logic        uClk_usrDiv2,
  input  logic        pck_cp2af_softReset,  // active high
  input  logic [1:0]  pck_cp2af_pwrState,
  input  logic        pck_cp2af_error,
  input  t_if_ccip_Rx pck_cp2af_sRx,
  output t_if_ccip_Tx pck_af2cp_sTx
);

  localparam int LineBits     = 512;
  localparam int AxilAddrBits = 16;

  // The platform brings CCI-P to the clock that the JSON file asks for, and says here which one that is.
  logic clk;
  logic reset;
`ifdef PLATFORM_PARAM_CCI_P_CLOCK
  assign clk   = `PLATFORM_PARAM_CCI_P_CLOCK;
  assign reset = `PLATFORM_PARAM_CCI_P_RESET;
`else
  assign clk   = pClk;
  assign reset = pck_cp2af_softReset;
`endif

  logic        rst_n_q;
  t_if_ccip_Rx rx_q;
  t_if_ccip_Tx tx_q;

  always_ff @(posedge clk) begin
    rst_n_q <= !reset;
    rx_q    <= pck_cp2af_sRx;
  end

  assign pck_af2cp_sTx = tx_q;

  // AXI4-Lite
  logic                    axil_awvalid;
  logic                    axil_awready;
  logic [AxilAddrBits-1:0] axil_awaddr;
  logic                    axil_wvalid;
  logic                    axil_wready;
  logic [63:0]             axil_wdata;
  logic [7:0]              axil_wstrb;
  logic                    axil_bvalid;
  logic                    axil_bready;
  logic [1:0]              axil_bresp;
  logic                    axil_arvalid;
  logic                    axil_arready;
  logic [AxilAddrBits-1:0] axil_araddr;
  logic                    axil_rvalid;
  logic                    axil_rready;
  logic [63:0]             axil_rdata;
  logic [1:0]              axil_rresp;

  // AXI4
  logic                    axi_awvalid;
  logic                    axi_awready;
  logic [63:0]             axi_awaddr;
  logic [7:0]              axi_awlen;
  logic [2:0]              axi_awsize;
  logic [1:0]              axi_awburst;
  logic                    axi_wvalid;
  logic                    axi_wready;
  logic [LineBits-1:0]     axi_wdata;
  logic [LineBits/8-1:0]   axi_wstrb;
  logic                    axi_wlast;
  logic                    axi_bvalid;
  logic                    axi_bready;
  logic                    axi_arvalid;
  logic                    axi_arready;
  logic [63:0]             axi_araddr;
  logic [7:0]              axi_arlen;
  logic [2:0]              axi_arsize;
  logic [1:0]              axi_arburst;
  logic                    axi_rvalid;
  logic                    axi_rready;
  logic [LineBits-1:0]     axi_rdata;
  logic                    axi_rlast;

  // Register accesses share the read channel with the answers of memory.
  t_ccip_c0_ReqMmioHdr mmio_header;
  logic                answer;
  logic [8:0]          answer_tid;
  logic [63:0]         answer_data;

  assign mmio_header = t_ccip_c0_ReqMmioHdr'(rx_q.c0.hdr);

  spa_ccip_mmio #(
    .AxilAddrBits (AxilAddrBits)
  ) u_mmio (
    .clk_i            (clk),
    .rst_ni           (rst_n_q),
    .read_i           (rx_q.c0.mmioRdValid),
    .write_i          (rx_q.c0.mmioWrValid),
    .addr_i           (mmio_header.address),
    .length_i         (mmio_header.length),
    .tid_i            (mmio_header.tid),
    .data_i           (rx_q.c0.data[63:0]),
    .answer_o         (answer),
    .answer_tid_o     (answer_tid),
    .answer_data_o    (answer_data),
    .m_axil_awvalid_o (axil_awvalid),
    .m_axil_awready_i (axil_awready),
    .m_axil_awaddr_o  (axil_awaddr),
    .m_axil_wvalid_o  (axil_wvalid),
    .m_axil_wready_i  (axil_wready),
    .m_axil_wdata_o   (axil_wdata),
    .m_axil_wstrb_o   (axil_wstrb),
    .m_axil_bvalid_i  (axil_bvalid),
    .m_axil_bready_o  (axil_bready),
    .m_axil_arvalid_o (axil_arvalid),
    .m_axil_arready_i (axil_arready),
    .m_axil_araddr_o  (axil_araddr),
    .m_axil_rvalid_i  (axil_rvalid),
    .m_axil_rready_o  (axil_rready),
    .m_axil_rdata_i   (axil_rdata)
  );

  logic        read;
  logic [41:0] read_line;
  logic [15:0] read_tag;

  spa_ccip_read #(
    .LineBits (LineBits)
  ) u_read (
    .clk_i           (clk),
    .rst_ni          (rst_n_q),
    .almost_full_i   (rx_q.c0TxAlmFull),
    .request_o       (read),
    .request_line_o  (read_line),
    .request_tag_o   (read_tag),
    .answer_i        (rx_q.c0.rspValid && (rx_q.c0.hdr.resp_type == eRSP_RDLINE)),
    .answer_tag_i    (rx_q.c0.hdr.mdata),
    .answer_data_i   (rx_q.c0.data),
    .s_axi_arvalid_i (axi_arvalid),
    .s_axi_arready_o (axi_arready),
    .s_axi_araddr_i  (axi_araddr),
    .s_axi_arlen_i   (axi_arlen),
    .s_axi_rvalid_o  (axi_rvalid),
    .s_axi_rready_i  (axi_rready),
    .s_axi_rdata_o   (axi_rdata),
    .s_axi_rlast_o   (axi_rlast)
  );

  logic                write;
  logic                write_fence;
  logic [41:0]         write_line;
  logic [15:0]         write_tag;
  logic [LineBits-1:0] write_data;

  spa_ccip_write #(
    .LineBits (LineBits)
  ) u_write (
    .clk_i           (clk),
    .rst_ni          (rst_n_q),
    .almost_full_i   (rx_q.c1TxAlmFull),
    .request_o       (write),
    .request_fence_o (write_fence),
    .request_line_o  (write_line),
    .request_tag_o   (write_tag),
    .request_data_o  (write_data),
    .answer_i        (rx_q.c1.rspValid
                      && ((rx_q.c1.hdr.resp_type == eRSP_WRLINE) || (rx_q.c1.hdr.resp_type == eRSP_WRFENCE))),
    .answer_fence_i  (rx_q.c1.hdr.resp_type == eRSP_WRFENCE),
    .answer_tag_i    (rx_q.c1.hdr.mdata),
    .s_axi_awvalid_i (axi_awvalid),
    .s_axi_awready_o (axi_awready),
    .s_axi_awaddr_i  (axi_awaddr),
    .s_axi_wvalid_i  (axi_wvalid),
    .s_axi_wready_o  (axi_wready),
    .s_axi_wdata_i   (axi_wdata),
    .s_axi_bvalid_o  (axi_bvalid),
    .s_axi_bready_i  (axi_bready)
  );

  // Requests, behind a register; what is not named is 0.
  t_if_ccip_Tx tx_d;

  always_comb begin
    tx_d                    = '0;
    tx_d.c0.valid           = read;
    tx_d.c0.hdr.vc_sel      = eVC_VA;
    tx_d.c0.hdr.cl_len      = eCL_LEN_1;
    tx_d.c0.hdr.req_type    = eREQ_RDLINE_I;
    tx_d.c0.hdr.address     = read_line;
    tx_d.c0.hdr.mdata       = read_tag;
    tx_d.c1.valid           = write;
    tx_d.c1.hdr.vc_sel      = eVC_VA;
    tx_d.c1.hdr.sop         = !write_fence;
    tx_d.c1.hdr.cl_len      = eCL_LEN_1;
    tx_d.c1.hdr.req_type    = write_fence ? eREQ_WRFENCE : eREQ_WRLINE_I;
    tx_d.c1.hdr.address     = write_line;
    tx_d.c1.hdr.mdata       = write_tag;
    tx_d.c1.data            = write_data;
    tx_d.c2.mmioRdValid     = answer;
    tx_d.c2.hdr.tid         = answer_tid;
    tx_d.c2.data            = answer_data;
  end

  always_ff @(posedge clk) begin
    tx_q <= tx_d;
    if (!rst_n_q) begin
      tx_q.c0.valid       <= 1'b0;
      tx_q.c1.valid       <= 1'b0;
      tx_q.c2.mmioRdValid <= 1'b0;
    end
  end

  spa_accelerator u_accelerator (
    .clk_i            (clk),
    .rst_ni           (rst_n_q),
    .s_axil_awvalid_i (axil_awvalid),
    .s_axil_awready_o (axil_awready),
    .s_axil_awaddr_i  (axil_awaddr),
    .s_axil_wvalid_i  (axil_wvalid),
    .s_axil_wready_o  (axil_wready),
    .s_axil_wdata_i   (axil_wdata),
    .s_axil_wstrb_i   (axil_wstrb),
    .s_axil_bvalid_o  (axil_bvalid),
    .s_axil_bready_i  (axil_bready),
    .s_axil_bresp_o   (axil_bresp),
    .s_axil_arvalid_i (axil_arvalid),
    .s_axil_arready_o (axil_arready),
    .s_axil_araddr_i  (axil_araddr),
    .s_axil_rvalid_o  (axil_rvalid),
    .s_axil_rready_i  (axil_rready),
    .s_axil_rdata_o   (axil_rdata),
    .s_axil_rresp_o   (axil_rresp),
    .m_axi_awvalid_o  (axi_awvalid),
    .m_axi_awready_i  (axi_awready),
    .m_axi_awaddr_o   (axi_awaddr),
    .m_axi_awlen_o    (axi_awlen),
    .m_axi_awsize_o   (axi_awsize),
    .m_axi_awburst_o  (axi_awburst),
    .m_axi_wvalid_o   (axi_wvalid),
    .m_axi_wready_i   (axi_wready),
    .m_axi_wdata_o    (axi_wdata),
    .m_axi_wstrb_o    (axi_wstrb),
    .m_axi_wlast_o    (axi_wlast),
    .m_axi_bvalid_i   (axi_bvalid),
    .m_axi_bready_o   (axi_bready),
    .m_axi_bresp_i    (2'b00),
    .m_axi_arvalid_o  (axi_arvalid),
    .m_axi_arready_i  (axi_arready),
    .m_axi_araddr_o   (axi_araddr),
    .m_axi_arlen_o    (axi_arlen),
    .m_axi_arsize_o   (axi_arsize),
    .m_axi_arburst_o  (axi_arburst),
    .m_axi_rvalid_i   (axi_rvalid),
    .m_axi_rready_o   (axi_rready),
    .m_axi_rdata_i    (axi_rdata),
    .m_axi_rresp_i    (2'b00),
    .m_axi_rlast_i    (axi_rlast)
  );

  // Single beats of whole lines, always OKAY; other clocks and the power state are the platform's business.
  logic unused;
  assign unused = ^{pClk, pClkDiv2, pClkDiv4, uClk_usr, uClk_usrDiv2, pck_cp2af_softReset, pck_cp2af_pwrState,
    pck_cp2af_error, axil_bresp, axil_rresp, axi_awlen, axi_awsize, axi_awburst, axi_wstrb, axi_wlast, axi_arsize,
    axi_arburst, rx_q, mmio_header};

endmodule
