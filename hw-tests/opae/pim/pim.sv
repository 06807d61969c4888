// pim: the PIM wrapper with the ports of the core, so that the simulated card of a build can drive it. The interfaces of the
// platform are reached by name, because its module is a stand-in without content.

module pim #(
  localparam int AxilAddrBits = 16,
  localparam int LineBits     = 512
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    s_axil_awvalid_i,
  output logic                    s_axil_awready_o,
  input  logic [AxilAddrBits-1:0] s_axil_awaddr_i,
  input  logic                    s_axil_wvalid_i,
  output logic                    s_axil_wready_o,
  input  logic [63:0]             s_axil_wdata_i,
  input  logic [7:0]              s_axil_wstrb_i,
  output logic                    s_axil_bvalid_o,
  input  logic                    s_axil_bready_i,
  output logic [1:0]              s_axil_bresp_o,
  input  logic                    s_axil_arvalid_i,
  output logic                    s_axil_arready_o,
  input  logic [AxilAddrBits-1:0] s_axil_araddr_i,
  output logic                    s_axil_rvalid_o,
  input  logic                    s_axil_rready_i,
  output logic [63:0]             s_axil_rdata_o,
  output logic [1:0]              s_axil_rresp_o,

  output logic                    m_axi_awvalid_o,
  input  logic                    m_axi_awready_i,
  output logic [63:0]             m_axi_awaddr_o,
  output logic [7:0]              m_axi_awlen_o,
  output logic [2:0]              m_axi_awsize_o,
  output logic [1:0]              m_axi_awburst_o,
  output logic                    m_axi_wvalid_o,
  input  logic                    m_axi_wready_i,
  output logic [LineBits-1:0]     m_axi_wdata_o,
  output logic [LineBits/8-1:0]   m_axi_wstrb_o,
  output logic                    m_axi_wlast_o,
  input  logic                    m_axi_bvalid_i,
  output logic                    m_axi_bready_o,
  input  logic [1:0]              m_axi_bresp_i,
  output logic                    m_axi_arvalid_o,
  input  logic                    m_axi_arready_i,
  output logic [63:0]             m_axi_araddr_o,
  output logic [7:0]              m_axi_arlen_o,
  output logic [2:0]              m_axi_arsize_o,
  output logic [1:0]              m_axi_arburst_o,
  input  logic                    m_axi_rvalid_i,
  output logic                    m_axi_rready_o,
  input  logic [LineBits-1:0]     m_axi_rdata_i,
  input  logic [1:0]              m_axi_rresp_i,
  input  logic                    m_axi_rlast_i
);

  ofs_plat_if platform ();

  ofs_plat_afu u_afu (
    .plat_ifc (platform)
  );

  assign platform.clocks             = {2'b00, clk_i, rst_ni};
  assign platform.host_chan.ports[0] = 1'b0;

  // Every access has another identifier; an answer with a wrong one is not seen.
  logic [9:0] read_id_q;
  logic       write_id_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_id_q  <= '0;
      write_id_q <= 1'b0;
    end else begin
      if (s_axil_rvalid_o && s_axil_rready_i) read_id_q <= read_id_q + 10'd37;
      if (s_axil_bvalid_o && s_axil_bready_i) write_id_q <= !write_id_q;
    end
  end

  always_comb begin
    u_afu.registers.aw      = '0;
    u_afu.registers.aw.id   = write_id_q;
    u_afu.registers.aw.addr = 18'(s_axil_awaddr_i);
    u_afu.registers.w       = '0;
    u_afu.registers.w.data  = s_axil_wdata_i;
    u_afu.registers.w.strb  = s_axil_wstrb_i;
    u_afu.registers.ar      = '0;
    u_afu.registers.ar.id   = read_id_q;
    u_afu.registers.ar.addr = 18'(s_axil_araddr_i);
    u_afu.memory.b          = '0;
    u_afu.memory.b.resp     = m_axi_bresp_i;
    u_afu.memory.r          = '0;
    u_afu.memory.r.data     = m_axi_rdata_i;
    u_afu.memory.r.resp     = m_axi_rresp_i;
    u_afu.memory.r.last     = m_axi_rlast_i;
  end

  assign u_afu.registers.awvalid = s_axil_awvalid_i;
  assign u_afu.registers.wvalid  = s_axil_wvalid_i;
  assign u_afu.registers.bready  = s_axil_bready_i;
  assign u_afu.registers.arvalid = s_axil_arvalid_i;
  assign u_afu.registers.rready  = s_axil_rready_i;
  assign s_axil_awready_o        = u_afu.registers.awready;
  assign s_axil_wready_o         = u_afu.registers.wready;
  assign s_axil_bvalid_o         = u_afu.registers.bvalid && (u_afu.registers.b.id == write_id_q);
  assign s_axil_bresp_o          = u_afu.registers.b.resp;
  assign s_axil_arready_o        = u_afu.registers.arready;
  assign s_axil_rvalid_o         = u_afu.registers.rvalid && (u_afu.registers.r.id == read_id_q);
  assign s_axil_rdata_o          = u_afu.registers.r.data;
  assign s_axil_rresp_o          = u_afu.registers.r.resp;

  assign u_afu.memory.awready = m_axi_awready_i;
  assign u_afu.memory.wready  = m_axi_wready_i;
  assign u_afu.memory.bvalid  = m_axi_bvalid_i;
  assign u_afu.memory.arready = m_axi_arready_i;
  assign u_afu.memory.rvalid  = m_axi_rvalid_i;
  assign m_axi_awvalid_o      = u_afu.memory.awvalid;
  assign m_axi_awaddr_o       = 64'(u_afu.memory.aw.addr);
  assign m_axi_awlen_o        = u_afu.memory.aw.len;
  assign m_axi_awsize_o       = u_afu.memory.aw.size;
  assign m_axi_awburst_o      = u_afu.memory.aw.burst;
  assign m_axi_wvalid_o       = u_afu.memory.wvalid;
  assign m_axi_wdata_o        = u_afu.memory.w.data;
  assign m_axi_wstrb_o        = u_afu.memory.w.strb;
  assign m_axi_wlast_o        = u_afu.memory.w.last;
  assign m_axi_bready_o       = u_afu.memory.bready;
  assign m_axi_arvalid_o      = u_afu.memory.arvalid;
  assign m_axi_araddr_o       = 64'(u_afu.memory.ar.addr);
  assign m_axi_arlen_o        = u_afu.memory.ar.len;
  assign m_axi_arsize_o       = u_afu.memory.ar.size;
  assign m_axi_arburst_o      = u_afu.memory.ar.burst;
  assign m_axi_rready_o       = u_afu.memory.rready;

endmodule
