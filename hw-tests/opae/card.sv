// card: the CCI-P wrapper with its structures taken apart, for the library in opae.cpp.

module card
  import ccip_if_pkg::*;
(
  input  logic         clk_i,
  input  logic         reset_i,

  input  logic         c0_almost_full_i,
  input  logic         c1_almost_full_i,
  input  logic         read_answer_i,
  input  logic [15:0]  read_answer_tag_i,
  input  logic         mmio_read_i,
  input  logic         mmio_write_i,
  input  logic [15:0]  mmio_address_i,
  input  logic [1:0]   mmio_length_i,
  input  logic [8:0]   mmio_tid_i,
  input  logic [511:0] c0_data_i,
  input  logic         write_answer_i,
  input  logic         write_answer_fence_i,
  input  logic [15:0]  write_answer_tag_i,

  output logic         read_o,
  output logic [41:0]  read_line_o,
  output logic [15:0]  read_tag_o,
  output logic         write_o,
  output logic         write_fence_o,
  output logic [41:0]  write_line_o,
  output logic [15:0]  write_tag_o,
  output logic [511:0] write_data_o,
  output logic         mmio_answer_o,
  output logic [8:0]   mmio_answer_tid_o,
  output logic [63:0]  mmio_answer_data_o,

  // The core's side of the read wrapper: bursts asked for and lines handed on
  output logic         burst_o,
  output logic [63:0]  burst_address_o,
  output logic [7:0]   burst_length_o,
  output logic         line_o,
  output logic [511:0] line_data_o,
  output logic         line_last_o,

  // A request with a reserved bit set, of another kind than the wrapper may send, or of several lines
  output logic         forbidden_o
);

  t_if_ccip_Rx rx;
  t_if_ccip_Tx tx;

  always_comb begin
    rx                   = '0;
    rx.c0TxAlmFull       = c0_almost_full_i;
    rx.c1TxAlmFull       = c1_almost_full_i;
    rx.c0.data           = c0_data_i;
    rx.c0.rspValid       = read_answer_i;
    rx.c0.mmioRdValid    = mmio_read_i;
    rx.c0.mmioWrValid    = mmio_write_i;
    rx.c0.hdr.mdata      = read_answer_tag_i;
    if (mmio_read_i || mmio_write_i) rx.c0.hdr = {mmio_address_i, mmio_length_i, 1'b0, mmio_tid_i};
    rx.c1.rspValid       = write_answer_i;
    rx.c1.hdr.resp_type  = write_answer_fence_i ? eRSP_WRFENCE : eRSP_WRLINE;
    rx.c1.hdr.mdata      = write_answer_tag_i;
  end

  ccip_std_afu u_afu (
    .pClk                (clk_i),
    .pClkDiv2            (1'b0),
    .pClkDiv4            (1'b0),
    .uClk_usr            (1'b0),
    .uClk_usrDiv2        (1'b0),
    .pck_cp2af_softReset (reset_i),
    .pck_cp2af_pwrState  (2'b00),
    .pck_cp2af_error     (1'b0),
    .pck_cp2af_sRx       (rx),
    .pck_af2cp_sTx       (tx)
  );

  assign read_o             = tx.c0.valid;
  assign read_line_o        = tx.c0.hdr.address;
  assign read_tag_o         = tx.c0.hdr.mdata;
  assign write_o            = tx.c1.valid;
  assign write_fence_o      = tx.c1.hdr.req_type == eREQ_WRFENCE;
  assign write_line_o       = tx.c1.hdr.address;
  assign write_tag_o        = tx.c1.hdr.mdata;
  assign write_data_o       = tx.c1.data;
  assign mmio_answer_o      = tx.c2.mmioRdValid;
  assign mmio_answer_tid_o  = tx.c2.hdr.tid;
  assign mmio_answer_data_o = tx.c2.data;

  assign burst_o         = u_afu.axi_arvalid && u_afu.axi_arready;
  assign burst_address_o = u_afu.axi_araddr;
  assign burst_length_o  = u_afu.axi_arlen;
  assign line_o          = u_afu.axi_rvalid && u_afu.axi_rready;
  assign line_data_o     = u_afu.axi_rdata;
  assign line_last_o     = u_afu.axi_rlast;

  assign forbidden_o = (tx.c0.valid && ((tx.c0.hdr.rsvd0 != '0) || (tx.c0.hdr.rsvd1 != '0)
      || (tx.c0.hdr.cl_len != eCL_LEN_1) || (tx.c0.hdr.req_type != eREQ_RDLINE_I)))
    || (tx.c1.valid && ((tx.c1.hdr.rsvd0 != '0) || tx.c1.hdr.rsvd1 || (tx.c1.hdr.rsvd2 != '0)
      || (tx.c1.hdr.cl_len != eCL_LEN_1) || (tx.c1.hdr.sop == write_fence_o)
      || !((tx.c1.hdr.req_type == eREQ_WRLINE_I) || (tx.c1.hdr.req_type == eREQ_WRFENCE))));

endmodule
