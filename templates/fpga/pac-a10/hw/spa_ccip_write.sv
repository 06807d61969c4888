// spa_ccip_write: AXI4 writes of single lines over CCI-P.
//
// CCI-P answers writes in any order, and an answer alone does not order a line before what the host reads next; only a
// fence does. So: answers are put in order, then a fence is sent that covers all lines answered so far, and when the fence
// is answered the lines get their AXI response. One fence is under way at a time, so a busy log shares each among many
// lines.

module spa_ccip_write #(
  parameter int LineBits = 512,
  parameter int Slots    = 64  // power of two, at most 2^16; at least the writes that the master has in flight
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // To the platform; at most two requests more once almost full
  input  logic                almost_full_i,
  output logic                request_o,
  output logic                request_fence_o,
  output logic [41:0]         request_line_o,
  output logic [15:0]         request_tag_o,
  output logic [LineBits-1:0] request_data_o,

  // From the platform
  input  logic                answer_i,
  input  logic                answer_fence_i,
  input  logic [15:0]         answer_tag_i,

  // AXI4 slave, write channels; single beats with all strobes set
  input  logic                s_axi_awvalid_i,
  output logic                s_axi_awready_o,
  input  logic [63:0]         s_axi_awaddr_i,
  input  logic                s_axi_wvalid_i,
  output logic                s_axi_wready_o,
  input  logic [LineBits-1:0] s_axi_wdata_i,
  output logic                s_axi_bvalid_o,
  input  logic                s_axi_bready_i
);

  localparam int LineShift = $clog2(LineBits / 8);
  localparam int SlotBits  = $clog2(Slots);

  logic [Slots-1:0]    answered_q;
  logic [SlotBits:0]   head_q;     // next line to write
  logic [SlotBits:0]   tail_q;     // next line to be answered
  logic [SlotBits:0]   fenced_q;   // lines before it have got their response or will
  logic [SlotBits:0]   covered_q;  // what the fence under way covers
  logic [SlotBits:0]   done_q;     // next line to get its response
  logic [SlotBits:0]   used;
  logic [SlotBits-1:0] head;
  logic [SlotBits-1:0] tail;
  logic                fence_busy_q;
  logic                fence;
  logic                write;
  logic                retire;
  logic                respond;

  assign used    = head_q - done_q;
  assign head    = head_q[SlotBits-1:0];
  assign tail    = tail_q[SlotBits-1:0];
  assign fence   = (tail_q != covered_q) && !fence_busy_q && !almost_full_i;
  assign write   = s_axi_awvalid_i && s_axi_wvalid_i && !used[SlotBits] && !fence && !almost_full_i;
  assign retire  = answered_q[tail];
  assign respond = s_axi_bvalid_o && s_axi_bready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      answered_q   <= '0;
      head_q       <= '0;
      tail_q       <= '0;
      covered_q    <= '0;
      fenced_q     <= '0;
      done_q       <= '0;
      fence_busy_q <= 1'b0;
      request_o    <= 1'b0;
    end else begin
      request_o <= write || fence;
      if (write) head_q <= head_q + 1'b1;
      if (answer_i && !answer_fence_i) answered_q[answer_tag_i[SlotBits-1:0]] <= 1'b1;
      if (retire) begin
        answered_q[tail] <= 1'b0;
        tail_q           <= tail_q + 1'b1;
      end
      if (fence) begin
        fence_busy_q <= 1'b1;
        covered_q    <= tail_q;
      end
      if (answer_i && answer_fence_i) begin
        fence_busy_q <= 1'b0;
        fenced_q     <= covered_q;
      end
      if (respond) done_q <= done_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    request_fence_o <= fence;
    request_line_o  <= fence ? '0 : s_axi_awaddr_i[LineShift +: 42];
    request_tag_o   <= fence ? '0 : 16'(head);
    request_data_o  <= s_axi_wdata_i;
  end

  assign s_axi_awready_o = write;
  assign s_axi_wready_o  = write;
  assign s_axi_bvalid_o  = done_q != fenced_q;

  // Addresses are multiples of a line and have 48 bits; tags are slots.
  logic unused;
  assign unused = ^{s_axi_awaddr_i[63:LineShift+42], s_axi_awaddr_i[LineShift-1:0], answer_tag_i[15:SlotBits]};

endmodule
