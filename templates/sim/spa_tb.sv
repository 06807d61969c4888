// spa_tb: runs one job on the accelerator from files, for simulators without a C interface (Icarus Verilog, ...).
//
// Needs in the working folder
//   memory.hex     initial memory, one word of LineBits a line, from address 0: load records, then anything
//   registers.hex  register writes in order, {offset[31:0], value[63:0]}; the last one is the start command
// and writes result.hex, the lines FirstLine to LastLine of memory once STATUS.done is set: log ring and labels. The
// ring must hold the whole log, because nobody reads it meanwhile. Memory waits at random, from Seed. If Messages is not 0
// the result is compared with
//   messages.hex   messages of the log, in any order
//   labels.hex     the last LabelLines lines
// Every failure ends with $fatal, so that the simulator's status tells.

`timescale 1ns / 1ps

module spa_tb #(
  parameter integer LineBits  = 512,
  parameter integer Lines     = 4096,        // of memory
  parameter integer Registers = 1,           // lines of registers.hex
  parameter integer FirstLine = 0,
  parameter integer LastLine  = 0,
  parameter integer Idle      = 0,           // percent of cycles in which memory waits
  parameter integer Seed      = 1,
  parameter integer Timeout   = 100_000_000, // cycles
  parameter integer MessageBits = 32,
  parameter integer Messages    = 0,         // lines of messages.hex
  parameter integer LabelLines  = 1          // lines of labels.hex
);

  localparam integer LineShift  = $clog2(LineBits / 8);
  localparam [15:0]  StatusAddr = 16'h0208;
  localparam integer StatusDone = 5;
  localparam integer StatusFail = 7;
  localparam [15:0]  ErrorsAddr = 16'h0210;

  reg                   clk;
  reg                   rst_n;
  reg                   s_awvalid;
  wire                  s_awready;
  reg  [15:0]           s_awaddr;
  reg                   s_wvalid;
  wire                  s_wready;
  reg  [63:0]           s_wdata;
  wire                  s_bvalid;
  wire [1:0]            s_bresp;
  reg                   s_arvalid;
  wire                  s_arready;
  reg  [15:0]           s_araddr;
  wire                  s_rvalid;
  wire [63:0]           s_rdata;
  wire [1:0]            s_rresp;
  wire                  m_awvalid;
  reg                   m_awready;
  wire [63:0]           m_awaddr;
  wire [7:0]            m_awlen;
  wire [2:0]            m_awsize;
  wire [1:0]            m_awburst;
  wire                  m_wvalid;
  reg                   m_wready;
  wire [LineBits-1:0]   m_wdata;
  wire [LineBits/8-1:0] m_wstrb;
  wire                  m_wlast;
  reg                   m_bvalid;
  wire                  m_bready;
  wire                  m_arvalid;
  reg                   m_arready;
  wire [63:0]           m_araddr;
  wire [7:0]            m_arlen;
  wire [2:0]            m_arsize;
  wire [1:0]            m_arburst;
  reg                   m_rvalid;
  wire                  m_rready;
  reg  [LineBits-1:0]   m_rdata;
  reg                   m_rlast;

  spa_accelerator u_accelerator (
    .clk_i            (clk),
    .rst_ni           (rst_n),
    .s_axil_awvalid_i (s_awvalid),
    .s_axil_awready_o (s_awready),
    .s_axil_awaddr_i  (s_awaddr),
    .s_axil_wvalid_i  (s_wvalid),
    .s_axil_wready_o  (s_wready),
    .s_axil_wdata_i   (s_wdata),
    .s_axil_wstrb_i   (8'hFF),
    .s_axil_bvalid_o  (s_bvalid),
    .s_axil_bready_i  (1'b1),
    .s_axil_bresp_o   (s_bresp),
    .s_axil_arvalid_i (s_arvalid),
    .s_axil_arready_o (s_arready),
    .s_axil_araddr_i  (s_araddr),
    .s_axil_rvalid_o  (s_rvalid),
    .s_axil_rready_i  (1'b1),
    .s_axil_rdata_o   (s_rdata),
    .s_axil_rresp_o   (s_rresp),
    .m_axi_awvalid_o  (m_awvalid),
    .m_axi_awready_i  (m_awready),
    .m_axi_awaddr_o   (m_awaddr),
    .m_axi_awlen_o    (m_awlen),
    .m_axi_awsize_o   (m_awsize),
    .m_axi_awburst_o  (m_awburst),
    .m_axi_wvalid_o   (m_wvalid),
    .m_axi_wready_i   (m_wready),
    .m_axi_wdata_o    (m_wdata),
    .m_axi_wstrb_o    (m_wstrb),
    .m_axi_wlast_o    (m_wlast),
    .m_axi_bvalid_i   (m_bvalid),
    .m_axi_bready_o   (m_bready),
    .m_axi_bresp_i    (2'b00),
    .m_axi_arvalid_o  (m_arvalid),
    .m_axi_arready_i  (m_arready),
    .m_axi_araddr_o   (m_araddr),
    .m_axi_arlen_o    (m_arlen),
    .m_axi_arsize_o   (m_arsize),
    .m_axi_arburst_o  (m_arburst),
    .m_axi_rvalid_i   (m_rvalid),
    .m_axi_rready_o   (m_rready),
    .m_axi_rdata_i    (m_rdata),
    .m_axi_rresp_i    (2'b00),
    .m_axi_rlast_i    (m_rlast)
  );

  initial clk = 1'b0;
  always #5 clk = !clk;

  // Memory: one burst of each kind at a time.
  reg [LineBits-1:0] memory [0:Lines-1];
  integer            random;
  reg                reading;
  reg [63:0]         read_line;
  reg [8:0]          read_beats;
  reg                have_address;
  reg [63:0]         write_line;
  reg                have_data;
  reg [LineBits-1:0] write_data;
  reg                go_ar;
  reg                go_r;
  reg                go_aw;
  reg                go_w;
  reg                go_b;

  initial random = Seed;

  always @(posedge clk) begin
    go_ar = $unsigned($random(random)) % 100 >= Idle;
    go_r  = $unsigned($random(random)) % 100 >= Idle;
    go_aw = $unsigned($random(random)) % 100 >= Idle;
    go_w  = $unsigned($random(random)) % 100 >= Idle;
    go_b  = $unsigned($random(random)) % 100 >= Idle;
    if (!rst_n) begin
      m_arready    <= 1'b0;
      m_rvalid     <= 1'b0;
      m_rlast      <= 1'b0;
      m_awready    <= 1'b0;
      m_wready     <= 1'b0;
      m_bvalid     <= 1'b0;
      reading      <= 1'b0;
      have_address <= 1'b0;
      have_data    <= 1'b0;
    end else begin
      // Read channels
      m_arready <= !reading && !(m_arvalid && m_arready) && go_ar;
      if (m_arvalid && m_arready) begin
        reading    <= 1'b1;
        read_line  <= m_araddr >> LineShift;
        read_beats <= {1'b0, m_arlen} + 9'd1;
      end
      if (m_rvalid && m_rready) m_rvalid <= 1'b0;
      if (reading && (!m_rvalid || m_rready) && go_r) begin
        if (read_line >= Lines) begin
          $fatal(1, "spa_tb: read outside memory, line %0d", read_line);
        end
        m_rvalid   <= 1'b1;
        m_rdata    <= memory[read_line];
        m_rlast    <= read_beats == 9'd1;
        read_line  <= read_line + 64'd1;
        read_beats <= read_beats - 9'd1;
        if (read_beats == 9'd1) reading <= 1'b0;
      end
      // Write channels: single lines
      m_awready <= !have_address && !(m_awvalid && m_awready) && go_aw;
      m_wready  <= !have_data && !(m_wvalid && m_wready) && go_w;
      if (m_awvalid && m_awready) begin
        have_address <= 1'b1;
        write_line   <= m_awaddr >> LineShift;
      end
      if (m_wvalid && m_wready) begin
        have_data  <= 1'b1;
        write_data <= m_wdata;
      end
      if (m_bvalid && m_bready) m_bvalid <= 1'b0;
      if (have_address && have_data && !m_bvalid && go_b) begin
        if (write_line >= Lines) begin
          $fatal(1, "spa_tb: write outside memory, line %0d", write_line);
        end
        memory[write_line] = write_data;
        have_address <= 1'b0;
        have_data    <= 1'b0;
        m_bvalid     <= 1'b1;
      end
    end
  end

  // Host
  reg [95:0]  registers [0:Registers-1];
  reg [63:0]  status;
  integer     i;

  task write_register(input [15:0] address, input [63:0] value);
    begin
      s_awaddr  <= address;
      s_wdata   <= value;
      s_awvalid <= 1'b1;
      s_wvalid  <= 1'b1;
      @(posedge clk);
      while (s_awvalid || s_wvalid) begin
        if (s_awready) s_awvalid <= 1'b0;
        if (s_wready) s_wvalid <= 1'b0;
        @(posedge clk);
      end
      while (!s_bvalid) @(posedge clk);
    end
  endtask

  task read_register(input [15:0] address, output [63:0] value);
    begin
      s_araddr  <= address;
      s_arvalid <= 1'b1;
      @(posedge clk);
      while (!s_arready) @(posedge clk);
      s_arvalid <= 1'b0;
      @(posedge clk);
      while (!s_rvalid) @(posedge clk);
      value = s_rdata;
    end
  endtask

  // Comparison with what is expected
  localparam integer LogLines   = LastLine - FirstLine + 1 - LabelLines;
  localparam integer LabelStart = LastLine - LabelLines + 1;
  localparam integer Slots      = LineBits / MessageBits;
  localparam integer Expected   = Messages > 0 ? Messages : 1;

  reg [MessageBits-1:0] messages [0:Expected-1];
  reg [Expected-1:0]    found;
  reg [LineBits-1:0]    labels [0:LabelLines-1];
  reg [LineBits-1:0]    line;
  reg [MessageBits-1:0] message;
  reg                   hit;
  integer               faults;
  integer               l;
  integer               s;
  integer               m;

  // The order of messages means nothing: each of the log takes one of the list.
  task compare_log;
    begin
      found = {Expected{1'b0}};
      for (l = 0; l < LogLines; l = l + 1) begin
        line = memory[FirstLine + l];
        for (s = 0; s < Slots; s = s + 1) begin
          message = line[s*MessageBits +: MessageBits];
          hit     = message === {MessageBits{1'b0}};
          for (m = 0; m < Messages; m = m + 1) begin
            if (!hit && !found[m] && messages[m] === message) begin
              hit      = 1'b1;
              found[m] = 1'b1;
            end
          end
          if (!hit) begin
            faults = faults + 1;
            $display("spa_tb: message %h of line %0d, slot %0d is not expected", message, l, s);
          end
        end
      end
      for (m = 0; m < Messages; m = m + 1) begin
        if (!found[m]) begin
          faults = faults + 1;
          $display("spa_tb: message %h is missing", messages[m]);
        end
      end
    end
  endtask

  task compare_labels;
    begin
      for (l = 0; l < LabelLines; l = l + 1) begin
        line = memory[LabelStart + l];
        if (line !== labels[l]) begin
          faults = faults + 1;
          $display("spa_tb: labels of line %0d are %h, not %h", l, line, labels[l]);
        end
      end
    end
  endtask

  initial begin
    $readmemh("memory.hex", memory);
    $readmemh("registers.hex", registers);
    if (Messages > 0) begin
      $readmemh("messages.hex", messages);
      $readmemh("labels.hex", labels);
    end
    faults = 0;
    rst_n     <= 1'b0;
    s_awvalid <= 1'b0;
    s_wvalid  <= 1'b0;
    s_arvalid <= 1'b0;
    repeat (16) @(posedge clk);
    rst_n <= 1'b1;
    repeat (4) @(posedge clk);
    for (i = 0; i < Registers; i = i + 1) write_register(registers[i][79:64], registers[i][63:0]);
    status = 64'd0;
    while (!status[StatusDone] && !status[StatusFail]) begin
      repeat (200) @(posedge clk);
      read_register(StatusAddr, status);
    end
    if (status[StatusFail]) begin
      read_register(ErrorsAddr, status);
      $fatal(1, "spa_tb: ERRORS is %h", status);
    end
    $writememh("result.hex", memory, FirstLine, LastLine);
    if (Messages > 0) begin
      compare_log;
      compare_labels;
      if (faults != 0) $fatal(1, "spa_tb: %0d differences", faults);
      $display("spa_tb: %0d messages and %0d lines of labels as expected", Messages, LabelLines);
    end
    $display("spa_tb: done");
    $finish;
  end

  initial begin
    repeat (Timeout) @(posedge clk);
    $fatal(1, "spa_tb: no end within %0d cycles", Timeout);
  end

endmodule
