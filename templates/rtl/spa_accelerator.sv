// spa_accelerator: {{ title }}. The accelerator with the parameters of this build.

module spa_accelerator #(
  localparam int AxilAddrBits = 16,
  localparam int LineBits     = {{ line_bits }}
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // AXI4-Lite slave
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

  // AXI4 master, write channels
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

  // AXI4 master, read channels
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

  spa_top #(
{%- for parameter in parameters %}
    .{{ parameter.name }}({{ parameter.value }}),
{%- endfor %}
    .AxilAddrBits   (AxilAddrBits),
    .ConfigHash     (256'h{{ hash }})
  ) u_top (
    .clk_i,
    .rst_ni,

    .s_axil_awvalid_i,
    .s_axil_awready_o,
    .s_axil_awaddr_i,
    .s_axil_wvalid_i,
    .s_axil_wready_o,
    .s_axil_wdata_i,
    .s_axil_wstrb_i,
    .s_axil_bvalid_o,
    .s_axil_bready_i,
    .s_axil_bresp_o,
    .s_axil_arvalid_i,
    .s_axil_arready_o,
    .s_axil_araddr_i,
    .s_axil_rvalid_o,
    .s_axil_rready_i,
    .s_axil_rdata_o,
    .s_axil_rresp_o,

    .m_axi_awvalid_o,
    .m_axi_awready_i,
    .m_axi_awaddr_o,
    .m_axi_awlen_o,
    .m_axi_awsize_o,
    .m_axi_awburst_o,
    .m_axi_wvalid_o,
    .m_axi_wready_i,
    .m_axi_wdata_o,
    .m_axi_wstrb_o,
    .m_axi_wlast_o,
    .m_axi_bvalid_i,
    .m_axi_bready_o,
    .m_axi_bresp_i,

    .m_axi_arvalid_o,
    .m_axi_arready_i,
    .m_axi_araddr_o,
    .m_axi_arlen_o,
    .m_axi_arsize_o,
    .m_axi_arburst_o,
    .m_axi_rvalid_i,
    .m_axi_rready_o,
    .m_axi_rdata_i,
    .m_axi_rresp_i,
    .m_axi_rlast_i
  );

endmodule
