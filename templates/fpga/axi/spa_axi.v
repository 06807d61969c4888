// spa_axi: the accelerator with the port names of the AXI standard and the signals that interconnects ask for.
//
// Plain Verilog, because Vivado takes nothing else as the top of a module in a block design. All transactions have
// identifier 0; memory is asked for normal, bufferable accesses.

module spa_axi (
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 aclk CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axil:m_axi, ASSOCIATED_RESET aresetn" *)
  input  wire         aclk,
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 aresetn RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  wire         aresetn,

  // AXI4-Lite slave: registers
  input  wire         s_axil_awvalid,
  output wire         s_axil_awready,
  input  wire [15:0]  s_axil_awaddr,
  input  wire [2:0]   s_axil_awprot,
  input  wire         s_axil_wvalid,
  output wire         s_axil_wready,
  input  wire [63:0]  s_axil_wdata,
  input  wire [7:0]   s_axil_wstrb,
  output wire         s_axil_bvalid,
  input  wire         s_axil_bready,
  output wire [1:0]   s_axil_bresp,
  input  wire         s_axil_arvalid,
  output wire         s_axil_arready,
  input  wire [15:0]  s_axil_araddr,
  input  wire [2:0]   s_axil_arprot,
  output wire         s_axil_rvalid,
  input  wire         s_axil_rready,
  output wire [63:0]  s_axil_rdata,
  output wire [1:0]   s_axil_rresp,

  // AXI4 master: load records, log, labels
  output wire         m_axi_awvalid,
  input  wire         m_axi_awready,
  output wire [0:0]   m_axi_awid,
  output wire [63:0]  m_axi_awaddr,
  output wire [7:0]   m_axi_awlen,
  output wire [2:0]   m_axi_awsize,
  output wire [1:0]   m_axi_awburst,
  output wire [0:0]   m_axi_awlock,
  output wire [3:0]   m_axi_awcache,
  output wire [2:0]   m_axi_awprot,
  output wire [3:0]   m_axi_awqos,
  output wire         m_axi_wvalid,
  input  wire         m_axi_wready,
  output wire [{{ line_bits - 1 }}:0] m_axi_wdata,
  output wire [{{ line_bits / 8 - 1 }}:0]  m_axi_wstrb,
  output wire         m_axi_wlast,
  input  wire         m_axi_bvalid,
  output wire         m_axi_bready,
  input  wire [0:0]   m_axi_bid,
  input  wire [1:0]   m_axi_bresp,
  output wire         m_axi_arvalid,
  input  wire         m_axi_arready,
  output wire [0:0]   m_axi_arid,
  output wire [63:0]  m_axi_araddr,
  output wire [7:0]   m_axi_arlen,
  output wire [2:0]   m_axi_arsize,
  output wire [1:0]   m_axi_arburst,
  output wire [0:0]   m_axi_arlock,
  output wire [3:0]   m_axi_arcache,
  output wire [2:0]   m_axi_arprot,
  output wire [3:0]   m_axi_arqos,
  input  wire         m_axi_rvalid,
  output wire         m_axi_rready,
  input  wire [0:0]   m_axi_rid,
  input  wire [{{ line_bits - 1 }}:0] m_axi_rdata,
  input  wire [1:0]   m_axi_rresp,
  input  wire         m_axi_rlast
);

  // Normal memory that may be buffered; no protection, no priority.
  assign m_axi_awid    = 1'b0;
  assign m_axi_awlock  = 1'b0;
  assign m_axi_awcache = 4'b0011;
  assign m_axi_awprot  = 3'b000;
  assign m_axi_awqos   = 4'b0000;
  assign m_axi_arid    = 1'b0;
  assign m_axi_arlock  = 1'b0;
  assign m_axi_arcache = 4'b0011;
  assign m_axi_arprot  = 3'b000;
  assign m_axi_arqos   = 4'b0000;

  // Responses come in order, there being one identifier; registers know no protection.
  wire unused_bits;
  assign unused_bits = &{1'b0, s_axil_awprot, s_axil_arprot, m_axi_bid, m_axi_rid};

  {{ top }} u_accelerator (
    .clk_i            (aclk),
    .rst_ni           (aresetn),

    .s_axil_awvalid_i (s_axil_awvalid),
    .s_axil_awready_o (s_axil_awready),
    .s_axil_awaddr_i  (s_axil_awaddr),
    .s_axil_wvalid_i  (s_axil_wvalid),
    .s_axil_wready_o  (s_axil_wready),
    .s_axil_wdata_i   (s_axil_wdata),
    .s_axil_wstrb_i   (s_axil_wstrb),
    .s_axil_bvalid_o  (s_axil_bvalid),
    .s_axil_bready_i  (s_axil_bready),
    .s_axil_bresp_o   (s_axil_bresp),
    .s_axil_arvalid_i (s_axil_arvalid),
    .s_axil_arready_o (s_axil_arready),
    .s_axil_araddr_i  (s_axil_araddr),
    .s_axil_rvalid_o  (s_axil_rvalid),
    .s_axil_rready_i  (s_axil_rready),
    .s_axil_rdata_o   (s_axil_rdata),
    .s_axil_rresp_o   (s_axil_rresp),

    .m_axi_awvalid_o  (m_axi_awvalid),
    .m_axi_awready_i  (m_axi_awready),
    .m_axi_awaddr_o   (m_axi_awaddr),
    .m_axi_awlen_o    (m_axi_awlen),
    .m_axi_awsize_o   (m_axi_awsize),
    .m_axi_awburst_o  (m_axi_awburst),
    .m_axi_wvalid_o   (m_axi_wvalid),
    .m_axi_wready_i   (m_axi_wready),
    .m_axi_wdata_o    (m_axi_wdata),
    .m_axi_wstrb_o    (m_axi_wstrb),
    .m_axi_wlast_o    (m_axi_wlast),
    .m_axi_bvalid_i   (m_axi_bvalid),
    .m_axi_bready_o   (m_axi_bready),
    .m_axi_bresp_i    (m_axi_bresp),
    .m_axi_arvalid_o  (m_axi_arvalid),
    .m_axi_arready_i  (m_axi_arready),
    .m_axi_araddr_o   (m_axi_araddr),
    .m_axi_arlen_o    (m_axi_arlen),
    .m_axi_arsize_o   (m_axi_arsize),
    .m_axi_arburst_o  (m_axi_arburst),
    .m_axi_rvalid_i   (m_axi_rvalid),
    .m_axi_rready_o   (m_axi_rready),
    .m_axi_rdata_i    (m_axi_rdata),
    .m_axi_rresp_i    (m_axi_rresp),
    .m_axi_rlast_i    (m_axi_rlast)
  );

endmodule
