// spa_ccip_read: AXI4 reads over CCI-P.
//
// Every line of a burst is a request of its own: reads only load a job, and single lines need no alignment. CCI-P answers
// in any order; a line waits in the slot that its tag names until all before it have been handed on.

module spa_ccip_read #(
  parameter int LineBits = 512,
  parameter int Slots    = 64  // power of two, at most 2^16; lines asked for and not yet handed on
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // To the platform; at most two requests more once almost full
  input  logic                almost_full_i,
  output logic                request_o,
  output logic [41:0]         request_line_o,
  output logic [15:0]         request_tag_o,

  // From the platform
  input  logic                answer_i,
  input  logic [15:0]         answer_tag_i,
  input  logic [LineBits-1:0] answer_data_i,

  // AXI4 slave, read channels; INCR of whole lines
  input  logic                s_axi_arvalid_i,
  output logic                s_axi_arready_o,
  input  logic [63:0]         s_axi_araddr_i,
  input  logic [7:0]          s_axi_arlen_i,
  output logic                s_axi_rvalid_o,
  input  logic                s_axi_rready_i,
  output logic [LineBits-1:0] s_axi_rdata_o,
  output logic                s_axi_rlast_o
);

  localparam int LineShift = $clog2(LineBits / 8);
  localparam int SlotBits  = $clog2(Slots);

  // A line is never read in the cycle in which it is written: no bypass is needed.
  (* no_rw_check, ramstyle = "no_rw_check" *)
  logic [LineBits-1:0] lines [0:Slots-1];
  logic [Slots-1:0]    arrived_q;
  logic [Slots-1:0]    last_q;
  logic [SlotBits:0]   head_q;  // next slot to ask for
  logic [SlotBits:0]   tail_q;  // next slot to hand on
  logic [SlotBits:0]   used;
  logic [SlotBits-1:0] head;
  logic [SlotBits-1:0] tail;
  logic [SlotBits-1:0] answer;
  logic [8:0]          left_q;
  logic [41:0]         line_q;
  logic                ask;
  logic                fetch;
  logic                out_valid_q;

  assign used   = head_q - tail_q;
  assign head   = head_q[SlotBits-1:0];
  assign tail   = tail_q[SlotBits-1:0];
  assign answer = answer_tag_i[SlotBits-1:0];
  assign ask    = (left_q != '0) && !used[SlotBits] && !almost_full_i;
  assign fetch  = arrived_q[tail] && (!out_valid_q || s_axi_rready_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q      <= '0;
      head_q      <= '0;
      tail_q      <= '0;
      arrived_q   <= '0;
      request_o   <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      request_o <= ask;
      if (s_axi_arvalid_i && s_axi_arready_o) left_q <= 9'(s_axi_arlen_i) + 1'b1;
      else if (ask) left_q <= left_q - 1'b1;
      if (ask) head_q <= head_q + 1'b1;
      if (answer_i) arrived_q[answer] <= 1'b1;
      if (fetch) begin
        arrived_q[tail] <= 1'b0;
        tail_q          <= tail_q + 1'b1;
      end
      if (fetch) out_valid_q <= 1'b1;
      else if (s_axi_rready_i) out_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axi_arready_o) line_q <= s_axi_araddr_i[LineShift +: 42];
    else if (ask) line_q <= line_q + 1'b1;
    if (ask) last_q[head] <= left_q == 9'd1;
    request_line_o <= line_q;
    request_tag_o  <= 16'(head);
    if (answer_i) lines[answer] <= answer_data_i;
    if (fetch) begin
      s_axi_rdata_o <= lines[tail];
      s_axi_rlast_o <= last_q[tail];
    end
  end

  assign s_axi_arready_o = left_q == '0;
  assign s_axi_rvalid_o  = out_valid_q;

  // Addresses are multiples of a line and have 48 bits; tags are slots.
  logic unused;
  assign unused = ^{s_axi_araddr_i[63:LineShift+42], s_axi_araddr_i[LineShift-1:0], answer_tag_i[15:SlotBits]};

endmodule
