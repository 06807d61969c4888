// spa_serial_card: the accelerator with memory of its own, reached over a serial line. Knows no board.

module spa_serial_card #(
  parameter int LineBits     = 128,
  parameter int MemoryBytes  = 49152,
  parameter int ClockHz      = 75_000_000,
  parameter int ClocksPerBit = 25,
  parameter int TimeoutBits  = 22  // cycles after which half a request is forgotten, as a power of two
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic rx_i,
  output logic tx_o,

  output logic traffic_o  // the accelerator reads or writes memory
);

  localparam int AxilAddrBits = 16;

  logic                    core_rst_n;
  logic                    rx_valid;
  logic [7:0]              rx_data;
  logic                    tx_valid;
  logic [7:0]              tx_data;
  logic                    tx_ready;

  // Registers
  logic                    axil_awvalid;
  logic                    axil_awready;
  logic [AxilAddrBits-1:0] axil_awaddr;
  logic                    axil_wvalid;
  logic                    axil_wready;
  logic [63:0]             axil_wdata;
  logic                    axil_bvalid;
  logic                    axil_bready;
  logic                    axil_arvalid;
  logic                    axil_arready;
  logic [AxilAddrBits-1:0] axil_araddr;
  logic                    axil_rvalid;
  logic                    axil_rready;
  logic [63:0]             axil_rdata;

  // Memory, from the bridge
  logic                    mem_read;
  logic                    mem_write;
  logic [31:3]             mem_addr;
  logic [63:0]             mem_wdata;
  logic                    mem_done;
  logic [63:0]             mem_rdata;

  // Memory, from the accelerator
  logic                    axi_awvalid;
  logic                    axi_awready;
  logic [63:0]             axi_awaddr;
  logic                    axi_wvalid;
  logic                    axi_wready;
  logic [LineBits-1:0]     axi_wdata;
  logic                    axi_bvalid;
  logic                    axi_bready;
  logic [1:0]              axi_bresp;
  logic                    axi_arvalid;
  logic                    axi_arready;
  logic [63:0]             axi_araddr;
  logic [7:0]              axi_arlen;
  logic                    axi_rvalid;
  logic                    axi_rready;
  logic [LineBits-1:0]     axi_rdata;
  logic [1:0]              axi_rresp;
  logic                    axi_rlast;

  spa_uart_rx #(.ClocksPerBit(ClocksPerBit)) u_rx (
    .clk_i, .rst_ni, .rx_i, .valid_o(rx_valid), .data_o(rx_data)
  );

  spa_uart_tx #(.ClocksPerBit(ClocksPerBit)) u_tx (
    .clk_i, .rst_ni, .valid_i(tx_valid), .data_i(tx_data), .ready_o(tx_ready), .tx_o
  );

  spa_serial_bridge #(
    .ClockHz      (ClockHz),
    .ClocksPerBit (ClocksPerBit),
    .LineBytes    (LineBits / 8),
    .MemoryBytes  (MemoryBytes),
    .TimeoutBits  (TimeoutBits)
  ) u_bridge (
    .clk_i,
    .rst_ni,
    .core_rst_no      (core_rst_n),
    .rx_valid_i       (rx_valid),
    .rx_data_i        (rx_data),
    .tx_valid_o       (tx_valid),
    .tx_data_o        (tx_data),
    .tx_ready_i       (tx_ready),
    .m_axil_awvalid_o (axil_awvalid),
    .m_axil_awready_i (axil_awready),
    .m_axil_awaddr_o  (axil_awaddr),
    .m_axil_wvalid_o  (axil_wvalid),
    .m_axil_wready_i  (axil_wready),
    .m_axil_wdata_o   (axil_wdata),
    .m_axil_bvalid_i  (axil_bvalid),
    .m_axil_bready_o  (axil_bready),
    .m_axil_arvalid_o (axil_arvalid),
    .m_axil_arready_i (axil_arready),
    .m_axil_araddr_o  (axil_araddr),
    .m_axil_rvalid_i  (axil_rvalid),
    .m_axil_rready_o  (axil_rready),
    .m_axil_rdata_i   (axil_rdata),
    .mem_read_o       (mem_read),
    .mem_write_o      (mem_write),
    .mem_addr_o       (mem_addr),
    .mem_wdata_o      (mem_wdata),
    .mem_done_i       (mem_done),
    .mem_rdata_i      (mem_rdata)
  );

  spa_serial_memory #(
    .LineBits (LineBits),
    .Lines    (MemoryBytes / (LineBits / 8))
  ) u_memory (
    .clk_i,
    .rst_ni          (core_rst_n),
    .s_axi_awvalid_i (axi_awvalid),
    .s_axi_awready_o (axi_awready),
    .s_axi_awaddr_i  (axi_awaddr),
    .s_axi_wvalid_i  (axi_wvalid),
    .s_axi_wready_o  (axi_wready),
    .s_axi_wdata_i   (axi_wdata),
    .s_axi_bvalid_o  (axi_bvalid),
    .s_axi_bready_i  (axi_bready),
    .s_axi_bresp_o   (axi_bresp),
    .s_axi_arvalid_i (axi_arvalid),
    .s_axi_arready_o (axi_arready),
    .s_axi_araddr_i  (axi_araddr),
    .s_axi_arlen_i   (axi_arlen),
    .s_axi_rvalid_o  (axi_rvalid),
    .s_axi_rready_i  (axi_rready),
    .s_axi_rdata_o   (axi_rdata),
    .s_axi_rresp_o   (axi_rresp),
    .s_axi_rlast_o   (axi_rlast),
    .host_read_i     (mem_read),
    .host_write_i    (mem_write),
    .host_addr_i     (mem_addr),
    .host_wdata_i    (mem_wdata),
    .host_done_o     (mem_done),
    .host_rdata_o    (mem_rdata)
  );

  // Registers answer every access with OKAY; bursts are INCR of whole lines, writes have one beat.
  logic [1:0]            unused_bresp;
  logic [1:0]            unused_rresp;
  logic [7:0]            unused_awlen;
  logic [2:0]            unused_awsize;
  logic [1:0]            unused_awburst;
  logic [LineBits/8-1:0] unused_wstrb;
  logic                  unused_wlast;
  logic [2:0]            unused_arsize;
  logic [1:0]            unused_arburst;

  spa_accelerator u_accelerator (
    .clk_i,
    .rst_ni           (core_rst_n),
    .s_axil_awvalid_i (axil_awvalid),
    .s_axil_awready_o (axil_awready),
    .s_axil_awaddr_i  (axil_awaddr),
    .s_axil_wvalid_i  (axil_wvalid),
    .s_axil_wready_o  (axil_wready),
    .s_axil_wdata_i   (axil_wdata),
    .s_axil_wstrb_i   (8'hFF),
    .s_axil_bvalid_o  (axil_bvalid),
    .s_axil_bready_i  (axil_bready),
    .s_axil_bresp_o   (unused_bresp),
    .s_axil_arvalid_i (axil_arvalid),
    .s_axil_arready_o (axil_arready),
    .s_axil_araddr_i  (axil_araddr),
    .s_axil_rvalid_o  (axil_rvalid),
    .s_axil_rready_i  (axil_rready),
    .s_axil_rdata_o   (axil_rdata),
    .s_axil_rresp_o   (unused_rresp),
    .m_axi_awvalid_o  (axi_awvalid),
    .m_axi_awready_i  (axi_awready),
    .m_axi_awaddr_o   (axi_awaddr),
    .m_axi_awlen_o    (unused_awlen),
    .m_axi_awsize_o   (unused_awsize),
    .m_axi_awburst_o  (unused_awburst),
    .m_axi_wvalid_o   (axi_wvalid),
    .m_axi_wready_i   (axi_wready),
    .m_axi_wdata_o    (axi_wdata),
    .m_axi_wstrb_o    (unused_wstrb),
    .m_axi_wlast_o    (unused_wlast),
    .m_axi_bvalid_i   (axi_bvalid),
    .m_axi_bready_o   (axi_bready),
    .m_axi_bresp_i    (axi_bresp),
    .m_axi_arvalid_o  (axi_arvalid),
    .m_axi_arready_i  (axi_arready),
    .m_axi_araddr_o   (axi_araddr),
    .m_axi_arlen_o    (axi_arlen),
    .m_axi_arsize_o   (unused_arsize),
    .m_axi_arburst_o  (unused_arburst),
    .m_axi_rvalid_i   (axi_rvalid),
    .m_axi_rready_o   (axi_rready),
    .m_axi_rdata_i    (axi_rdata),
    .m_axi_rresp_i    (axi_rresp),
    .m_axi_rlast_i    (axi_rlast)
  );

  logic unused_outputs;
  assign unused_outputs = ^{unused_bresp, unused_rresp, unused_awlen, unused_awsize, unused_awburst, unused_wstrb,
    unused_wlast, unused_arsize, unused_arburst};

  assign traffic_o = axi_awvalid || axi_rvalid;

endmodule
