// card: the accelerator and the memory written in rust-hdl, Verilated together. The host sees registers and lines.

module card (
  input  logic         clk_i,
  input  logic         rst_ni,

  // Registers
  input  logic         s_axil_awvalid_i,
  output logic         s_axil_awready_o,
  input  logic [15:0]  s_axil_awaddr_i,
  input  logic         s_axil_wvalid_i,
  output logic         s_axil_wready_o,
  input  logic [63:0]  s_axil_wdata_i,
  output logic         s_axil_bvalid_o,
  input  logic         s_axil_arvalid_i,
  output logic         s_axil_arready_o,
  input  logic [15:0]  s_axil_araddr_i,
  output logic         s_axil_rvalid_o,
  output logic [63:0]  s_axil_rdata_o,

  // Lines, while the bus is idle; a read takes one cycle
  input  logic         host_write_i,
  input  logic [11:0]  host_address_i,
  input  logic [127:0] host_data_i,
  output logic [127:0] host_data_o
);

  logic         awvalid;
  logic         awready;
  logic [63:0]  awaddr;
  logic         wvalid;
  logic         wready;
  logic [127:0] wdata;
  logic         bvalid;
  logic         bready;
  logic         arvalid;
  logic         arready;
  logic [63:0]  araddr;
  logic [7:0]   arlen;
  logic         rvalid;
  logic         rready;
  logic [127:0] rdata;
  logic         rlast;

  spa_accelerator u_accelerator (
    .clk_i,
    .rst_ni,
    .s_axil_awvalid_i,
    .s_axil_awready_o,
    .s_axil_awaddr_i,
    .s_axil_wvalid_i,
    .s_axil_wready_o,
    .s_axil_wdata_i,
    .s_axil_wstrb_i   (8'hFF),
    .s_axil_bvalid_o,
    .s_axil_bready_i  (1'b1),
    .s_axil_bresp_o   (),
    .s_axil_arvalid_i,
    .s_axil_arready_o,
    .s_axil_araddr_i,
    .s_axil_rvalid_o,
    .s_axil_rready_i  (1'b1),
    .s_axil_rdata_o,
    .s_axil_rresp_o   (),
    .m_axi_awvalid_o  (awvalid),
    .m_axi_awready_i  (awready),
    .m_axi_awaddr_o   (awaddr),
    .m_axi_awlen_o    (),
    .m_axi_awsize_o   (),
    .m_axi_awburst_o  (),
    .m_axi_wvalid_o   (wvalid),
    .m_axi_wready_i   (wready),
    .m_axi_wdata_o    (wdata),
    .m_axi_wstrb_o    (),
    .m_axi_wlast_o    (),
    .m_axi_bvalid_i   (bvalid),
    .m_axi_bready_o   (bready),
    .m_axi_bresp_i    (2'b00),
    .m_axi_arvalid_o  (arvalid),
    .m_axi_arready_i  (arready),
    .m_axi_araddr_o   (araddr),
    .m_axi_arlen_o    (arlen),
    .m_axi_arsize_o   (),
    .m_axi_arburst_o  (),
    .m_axi_rvalid_i   (rvalid),
    .m_axi_rready_o   (rready),
    .m_axi_rdata_i    (rdata),
    .m_axi_rresp_i    (2'b00),
    .m_axi_rlast_i    (rlast)
  );

  // The module that rust-hdl exports.
  top u_memory (
    .clock        (clk_i),
    .reset_n      (rst_ni),
    .host_write   (host_write_i),
    .host_address (host_address_i),
    .host_data    (host_data_i),
    .host_result  (host_data_o),
    .arvalid      (arvalid),
    .arready      (arready),
    .araddr       (araddr),
    .arlen        (arlen),
    .rvalid       (rvalid),
    .rready       (rready),
    .rdata        (rdata),
    .rlast        (rlast),
    .awvalid      (awvalid),
    .awready      (awready),
    .awaddr       (awaddr),
    .wvalid       (wvalid),
    .wready       (wready),
    .wdata        (wdata),
    .bvalid       (bvalid),
    .bready       (bready)
  );

endmodule
