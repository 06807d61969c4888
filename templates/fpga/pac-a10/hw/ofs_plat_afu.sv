// ofs_plat_afu: the accelerator behind the OFS Platform Interface Manager, which turns the host channel of the platform
// into AXI4 memory and AXI4-Lite registers and brings both to the user clock.

`include "ofs_plat_if.vh"

module ofs_plat_afu (
  ofs_plat_if plat_ifc
);

  localparam int AxilAddrBits = 16;

  ofs_plat_axi_mem_if #(
    `HOST_CHAN_AXI_MEM_PARAMS,
    .LOG_CLASS (ofs_plat_log_pkg::HOST_CHAN)
  ) memory ();

  ofs_plat_axi_mem_lite_if #(
    `HOST_CHAN_AXI_MMIO_PARAMS(64),
    .LOG_CLASS (ofs_plat_log_pkg::HOST_CHAN)
  ) registers ();

  ofs_plat_host_chan_as_axi_mem_with_mmio #(
    .ADD_CLOCK_CROSSING    (1),
    .ADD_TIMING_REG_STAGES (2)
  ) u_host (
    .to_fiu          (plat_ifc.host_chan.ports[0]),
    .host_mem_to_afu (memory),
    .mmio_to_afu     (registers),
    .afu_clk         (plat_ifc.clocks.uClk_usr.clk),
    .afu_reset_n     (plat_ifc.clocks.uClk_usr.reset_n)
  );

  ofs_plat_if_tie_off_unused #(
    .HOST_CHAN_IN_USE_MASK (1)
  ) u_tie_off (
    .plat_ifc
  );

  logic clk;
  logic rst_n;

  assign clk   = memory.clk;
  assign rst_n = memory.reset_n;

  // AXI4; the platform has fewer address bits than the core.
  logic [63:0]  axi_awaddr;
  logic [7:0]   axi_awlen;
  logic [2:0]   axi_awsize;
  logic [1:0]   axi_awburst;
  logic [511:0] axi_wdata;
  logic [63:0]  axi_wstrb;
  logic         axi_wlast;
  logic [63:0]  axi_araddr;
  logic [7:0]   axi_arlen;
  logic [2:0]   axi_arsize;
  logic [1:0]   axi_arburst;

  always_comb begin
    memory.aw       = '0;
    memory.aw.addr  = axi_awaddr[$bits(memory.aw.addr)-1:0];
    memory.aw.len   = axi_awlen[$bits(memory.aw.len)-1:0];
    memory.aw.size  = axi_awsize;
    memory.aw.burst = axi_awburst;
    memory.w        = '0;
    memory.w.data   = axi_wdata;
    memory.w.strb   = axi_wstrb;
    memory.w.last   = axi_wlast;
    memory.ar       = '0;
    memory.ar.addr  = axi_araddr[$bits(memory.ar.addr)-1:0];
    memory.ar.len   = axi_arlen[$bits(memory.ar.len)-1:0];
    memory.ar.size  = axi_arsize;
    memory.ar.burst = axi_arburst;
  end

  // AXI4-Lite. The core has no identifiers: one access of each kind at a time, its identifier and user bits kept here.
  logic        read_busy_q;
  logic        write_busy_q;
  logic [31:0] read_id_q;
  logic [31:0] read_user_q;
  logic [31:0] write_id_q;
  logic [31:0] write_user_q;
  logic        axil_arready;
  logic        axil_awready;
  logic [63:0] axil_rdata;
  logic [1:0]  axil_rresp;
  logic [1:0]  axil_bresp;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      read_busy_q  <= 1'b0;
      write_busy_q <= 1'b0;
    end else begin
      if (registers.arvalid && registers.arready) read_busy_q <= 1'b1;
      else if (registers.rvalid && registers.rready) read_busy_q <= 1'b0;
      if (registers.awvalid && registers.awready) write_busy_q <= 1'b1;
      else if (registers.bvalid && registers.bready) write_busy_q <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (registers.arvalid && registers.arready) begin
      read_id_q   <= 32'(registers.ar.id);
      read_user_q <= 32'(registers.ar.user);
    end
    if (registers.awvalid && registers.awready) begin
      write_id_q   <= 32'(registers.aw.id);
      write_user_q <= 32'(registers.aw.user);
    end
  end

  assign registers.arready = axil_arready && !read_busy_q;
  assign registers.awready = axil_awready && !write_busy_q;

  always_comb begin
    registers.r      = '0;
    registers.r.id   = read_id_q[$bits(registers.r.id)-1:0];
    registers.r.user = read_user_q[$bits(registers.r.user)-1:0];
    registers.r.data = axil_rdata;
    registers.r.resp = axil_rresp;
    registers.b      = '0;
    registers.b.id   = write_id_q[$bits(registers.b.id)-1:0];
    registers.b.user = write_user_q[$bits(registers.b.user)-1:0];
    registers.b.resp = axil_bresp;
  end

  spa_accelerator u_accelerator (
    .clk_i            (clk),
    .rst_ni           (rst_n),
    .s_axil_awvalid_i (registers.awvalid && !write_busy_q),
    .s_axil_awready_o (axil_awready),
    .s_axil_awaddr_i  (AxilAddrBits'(registers.aw.addr)),
    .s_axil_wvalid_i  (registers.wvalid),
    .s_axil_wready_o  (registers.wready),
    .s_axil_wdata_i   (registers.w.data),
    .s_axil_wstrb_i   (registers.w.strb),
    .s_axil_bvalid_o  (registers.bvalid),
    .s_axil_bready_i  (registers.bready),
    .s_axil_bresp_o   (axil_bresp),
    .s_axil_arvalid_i (registers.arvalid && !read_busy_q),
    .s_axil_arready_o (axil_arready),
    .s_axil_araddr_i  (AxilAddrBits'(registers.ar.addr)),
    .s_axil_rvalid_o  (registers.rvalid),
    .s_axil_rready_i  (registers.rready),
    .s_axil_rdata_o   (axil_rdata),
    .s_axil_rresp_o   (axil_rresp),
    .m_axi_awvalid_o  (memory.awvalid),
    .m_axi_awready_i  (memory.awready),
    .m_axi_awaddr_o   (axi_awaddr),
    .m_axi_awlen_o    (axi_awlen),
    .m_axi_awsize_o   (axi_awsize),
    .m_axi_awburst_o  (axi_awburst),
    .m_axi_wvalid_o   (memory.wvalid),
    .m_axi_wready_i   (memory.wready),
    .m_axi_wdata_o    (axi_wdata),
    .m_axi_wstrb_o    (axi_wstrb),
    .m_axi_wlast_o    (axi_wlast),
    .m_axi_bvalid_i   (memory.bvalid),
    .m_axi_bready_o   (memory.bready),
    .m_axi_bresp_i    (memory.b.resp),
    .m_axi_arvalid_o  (memory.arvalid),
    .m_axi_arready_i  (memory.arready),
    .m_axi_araddr_o   (axi_araddr),
    .m_axi_arlen_o    (axi_arlen),
    .m_axi_arsize_o   (axi_arsize),
    .m_axi_arburst_o  (axi_arburst),
    .m_axi_rvalid_i   (memory.rvalid),
    .m_axi_rready_o   (memory.rready),
    .m_axi_rdata_i    (memory.r.data),
    .m_axi_rresp_i    (memory.r.resp),
    .m_axi_rlast_i    (memory.r.last)
  );

  // The platform's fields are narrower; the core has no use for the rest.
  logic unused;
  assign unused = ^{axi_awaddr, axi_awlen, axi_araddr, axi_arlen, read_id_q, read_user_q, write_id_q, write_user_q};

endmodule
