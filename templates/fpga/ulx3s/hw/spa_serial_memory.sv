// spa_serial_memory: block RAM as the memory of the accelerator, shared with the host's bridge.
//
// The bridge goes first: at the speed of a serial line it takes a cycle in hundreds. A line takes the accelerator four
// cycles to read and three to write, far more than the serial line can carry either way.

module spa_serial_memory #(
  parameter int LineBits = 128,
  parameter int Lines    = 3072,
  localparam int AddrW   = $clog2(Lines),
  localparam int Words   = LineBits / 64
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // AXI4 slave: single-beat writes of whole lines, INCR reads
  input  logic                s_axi_awvalid_i,
  output logic                s_axi_awready_o,
  input  logic [63:0]         s_axi_awaddr_i,
  input  logic                s_axi_wvalid_i,
  output logic                s_axi_wready_o,
  input  logic [LineBits-1:0] s_axi_wdata_i,
  output logic                s_axi_bvalid_o,
  input  logic                s_axi_bready_i,
  output logic [1:0]          s_axi_bresp_o,
  input  logic                s_axi_arvalid_i,
  output logic                s_axi_arready_o,
  input  logic [63:0]         s_axi_araddr_i,
  input  logic [7:0]          s_axi_arlen_i,
  output logic                s_axi_rvalid_o,
  input  logic                s_axi_rready_i,
  output logic [LineBits-1:0] s_axi_rdata_o,
  output logic [1:0]          s_axi_rresp_o,
  output logic                s_axi_rlast_o,

  // Host: words of 64 bits, held until done
  input  logic                host_read_i,
  input  logic                host_write_i,
  input  logic [31:3]         host_addr_i,
  input  logic [63:0]         host_wdata_i,
  output logic                host_done_o,
  output logic [63:0]         host_rdata_o
);

  localparam int LineShift = $clog2(LineBits / 8);
  localparam int WordBits  = $clog2(Words);
  localparam logic [1:0] RespOkay  = 2'b00;
  localparam logic [1:0] RespError = 2'b10;

  function automatic outside(input [63:LineShift] line);
    outside = line >= (64 - LineShift)'(Lines);
  endfunction

  logic [AddrW-1:0]    waddr;
  logic [LineBits-1:0] wdata;
  logic [Words-1:0]    we;
  logic [AddrW-1:0]    raddr_q;
  logic [LineBits-1:0] rdata;

  for (genvar w = 0; w < Words; w++) begin : g_word
    spa_ram_1r1w #(.Width(64), .Depth(Lines)) u_ram (
      .clk_i,
      .we_i    (we[w]),
      .waddr_i (waddr),
      .wdata_i (wdata[64*w +: 64]),
      .raddr_i (raddr_q),
      .rdata_o (rdata[64*w +: 64])
    );
  end

  // ---------------------------------------------------------------- writes
  logic                have_addr_q;
  logic                have_data_q;
  logic [AddrW-1:0]    line_q;
  logic                bad_write_q;
  logic [LineBits-1:0] data_q;
  logic                bvalid_q;
  logic [1:0]          bresp_q;
  logic                host_write;
  logic                line_write;
  logic                host_written_q;

  assign host_write = host_write_i && !host_written_q;
  assign line_write = have_addr_q && have_data_q && !bvalid_q && !host_write;
  assign waddr      = host_write ? host_addr_i[LineShift +: AddrW] : line_q;
  assign wdata      = host_write ? {Words{host_wdata_i}} : data_q;

  for (genvar w = 0; w < Words; w++) begin : g_enable
    assign we[w] = host_write ? (host_addr_i[3 +: WordBits] == WordBits'(w)) : (line_write && !bad_write_q);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      have_addr_q    <= 1'b0;
      have_data_q    <= 1'b0;
      bvalid_q       <= 1'b0;
      bresp_q        <= RespOkay;
      host_written_q <= 1'b0;
    end else begin
      host_written_q <= host_write;
      if (s_axi_awvalid_i && s_axi_awready_o) have_addr_q <= 1'b1;
      if (s_axi_wvalid_i && s_axi_wready_o) have_data_q <= 1'b1;
      if (bvalid_q && s_axi_bready_i) bvalid_q <= 1'b0;
      if (line_write) begin
        have_addr_q <= 1'b0;
        have_data_q <= 1'b0;
        bvalid_q    <= 1'b1;
        bresp_q     <= bad_write_q ? RespError : RespOkay;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axi_awvalid_i && s_axi_awready_o) begin
      line_q      <= s_axi_awaddr_i[LineShift +: AddrW];
      bad_write_q <= outside(s_axi_awaddr_i[63:LineShift]);
    end
    if (s_axi_wvalid_i && s_axi_wready_o) data_q <= s_axi_wdata_i;
  end

  assign s_axi_awready_o = !have_addr_q;
  assign s_axi_wready_o  = !have_data_q;
  assign s_axi_bvalid_o  = bvalid_q;
  assign s_axi_bresp_o   = bresp_q;

  // ---------------------------------------------------------------- reads
  localparam logic [2:0] ReadIdle  = 3'd0;
  localparam logic [2:0] ReadWait1 = 3'd1;  // address register to RAM
  localparam logic [2:0] ReadWait2 = 3'd2;  // RAM to its output register
  localparam logic [2:0] ReadHost  = 3'd3;
  localparam logic [2:0] ReadLine  = 3'd4;

  logic [2:0]       read_q;
  logic             burst_q;    // a burst is under way
  logic             for_host_q;
  logic [AddrW-1:0] next_q;     // next line of the burst
  logic [7:0]       left_q;     // beats behind the next one
  logic             bad_read_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q     <= ReadIdle;
      burst_q    <= 1'b0;
      for_host_q <= 1'b0;
      left_q     <= '0;
    end else begin
      if (s_axi_arvalid_i && s_axi_arready_o) begin
        burst_q <= 1'b1;
        left_q  <= s_axi_arlen_i;
      end
      case (read_q)
        ReadIdle: begin
          for_host_q <= host_read_i;
          if (host_read_i || burst_q) read_q <= ReadWait1;
        end
        ReadWait1: read_q <= ReadWait2;
        ReadWait2: read_q <= for_host_q ? ReadHost : ReadLine;
        ReadHost:  read_q <= ReadIdle;
        default: begin
          if (s_axi_rready_i) begin
            read_q <= ReadIdle;
            left_q <= left_q - 1'b1;
            if (left_q == '0) burst_q <= 1'b0;
          end
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axi_arvalid_i && s_axi_arready_o) begin
      next_q     <= s_axi_araddr_i[LineShift +: AddrW];
      bad_read_q <= outside(s_axi_araddr_i[63:LineShift] + (64 - LineShift)'(s_axi_arlen_i));
    end else if ((read_q == ReadLine) && s_axi_rready_i) begin
      next_q <= next_q + 1'b1;
    end
    if (read_q == ReadIdle) raddr_q <= host_read_i ? host_addr_i[LineShift +: AddrW] : next_q;
  end

  assign s_axi_arready_o = !burst_q;
  assign s_axi_rvalid_o  = read_q == ReadLine;
  assign s_axi_rdata_o   = rdata;
  assign s_axi_rresp_o   = bad_read_q ? RespError : RespOkay;
  assign s_axi_rlast_o   = left_q == '0;
  assign host_done_o     = host_written_q || (read_q == ReadHost);
  assign host_rdata_o    = rdata[64 * 32'(host_addr_i[3 +: WordBits]) +: 64];

  // The bridge checks its addresses; lines are aligned.
  logic unused_bits;
  assign unused_bits = ^{host_addr_i[31:LineShift+AddrW], s_axi_awaddr_i[LineShift-1:0],
    s_axi_araddr_i[LineShift-1:0]};

endmodule
