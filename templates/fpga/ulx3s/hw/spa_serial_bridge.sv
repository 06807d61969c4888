// spa_serial_bridge: registers and memory of the accelerator over a byte stream.
//
//   request   A5 op sequence count-1 address[4] check[2]   and, if op writes, words[8*count] check[2]
//   answer    5A status sequence                           and, if op read and status is 0, words[8*count]; check[2]
//
// Numbers are little-endian; a check is CRC-16 (polynomial 1021, from FFFF) of what precedes it but the first byte, or of
// the words alone. Addresses: registers from 0, this bridge from 4000_0000, memory from 8000_0000. Words of a write are
// written as they come, the last one only after its check: so a command, which is one word, is carried out whole or
// not at all. A write with the sequence number of the last one is answered and not repeated: a host that missed the
// answer may send it again. What is no request is passed over; a request that stops is forgotten after 2^TimeoutBits
// cycles.

module spa_serial_bridge #(
  parameter int ClockHz      = 75_000_000,
  parameter int ClocksPerBit = 25,
  parameter int LineBytes    = 16,
  parameter int MemoryBytes  = 49152,
  parameter int TimeoutBits  = 22
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        core_rst_no,  // reset of accelerator and memory port

  // Bytes
  input  logic        rx_valid_i,
  input  logic [7:0]  rx_data_i,
  output logic        tx_valid_o,
  output logic [7:0]  tx_data_o,
  input  logic        tx_ready_i,

  // AXI4-Lite master
  output logic        m_axil_awvalid_o,
  input  logic        m_axil_awready_i,
  output logic [15:0] m_axil_awaddr_o,
  output logic        m_axil_wvalid_o,
  input  logic        m_axil_wready_i,
  output logic [63:0] m_axil_wdata_o,
  input  logic        m_axil_bvalid_i,
  output logic        m_axil_bready_o,
  output logic        m_axil_arvalid_o,
  input  logic        m_axil_arready_i,
  output logic [15:0] m_axil_araddr_o,
  input  logic        m_axil_rvalid_i,
  output logic        m_axil_rready_o,
  input  logic [63:0] m_axil_rdata_i,

  // Memory: words of 64 bits, held until done
  output logic        mem_read_o,
  output logic        mem_write_o,
  output logic [31:3] mem_addr_o,
  output logic [63:0] mem_wdata_o,
  input  logic        mem_done_i,
  input  logic [63:0] mem_rdata_i
);

  localparam logic [7:0] SyncRequest = 8'hA5;
  localparam logic [7:0] SyncAnswer  = 8'h5A;
  localparam logic [7:0] OpRead      = 8'h01;
  localparam logic [7:0] OpWrite     = 8'h02;

  localparam logic [7:0] StatusDone    = 8'h00;
  localparam logic [7:0] StatusCheck   = 8'h01;  // the words arrived damaged
  localparam logic [7:0] StatusRefused = 8'h02;  // unknown operation or address

  localparam logic [31:0] Magic   = 32'h5350_4155;  // "SPAU"
  localparam logic [31:0] Version = 32'd1;

  localparam logic [3:0] StateSync    = 4'd0;   // waits for a request
  localparam logic [3:0] StateHeader  = 4'd1;   // its other nine bytes
  localparam logic [3:0] StateDecide  = 4'd2;
  localparam logic [3:0] StateWords   = 4'd3;   // words and their check
  localparam logic [3:0] StateCommit  = 4'd4;   // the last word is written
  localparam logic [3:0] StateStatus  = 4'd5;   // three bytes of the answer
  localparam logic [3:0] StateFetch   = 4'd6;   // a word is read
  localparam logic [3:0] StateSend    = 4'd7;   // its eight bytes
  localparam logic [3:0] StateCheck   = 4'd8;   // two bytes of check

  // CRC-16 of one more byte.
  function automatic [15:0] crc16(input [15:0] crc, input [7:0] data);
    integer i;
    begin
      crc16 = crc ^ {data, 8'h00};
      for (i = 0; i < 8; i = i + 1) crc16 = crc16[15] ? ({crc16[14:0], 1'b0} ^ 16'h1021) : {crc16[14:0], 1'b0};
    end
  endfunction

  logic [3:0]             state_q;
  logic [3:0]             index_q;     // byte of the part under way
  logic [15:0]            crc_q;
  logic [63:0]            word_q;      // the word that comes in or goes out
  logic [7:0]             op_q;
  logic [7:0]             sequence_q;
  logic [7:0]             left_q;      // words behind this one
  logic [31:0]            address_q;
  logic [7:0]             status_q;
  logic                   repeated_q;  // a write that was carried out before
  logic [7:0]             last_q;      // sequence number of the last write carried out
  logic [TimeoutBits-1:0] timeout_q;
  logic                   receiving;

  // ---------------------------------------------------------------- addresses
  logic        of_core;
  logic        of_bridge;
  logic        of_memory;
  logic [31:0] last_byte;
  logic        allowed;

  assign of_core   = address_q[31:16] == 16'h0000;
  assign of_bridge = address_q[31:6] == 26'h100_0000;
  assign of_memory = address_q[31:30] == 2'b10;
  assign last_byte = {2'b00, address_q[29:0]} + {21'd0, left_q, 3'd7};
  assign allowed   = ((op_q == OpRead) || (op_q == OpWrite)) && (address_q[2:0] == 3'd0)
    && ((of_core && !last_byte[16]) || (of_bridge && (left_q == '0)) || (of_memory && (last_byte < 32'(MemoryBytes))));

  // ---------------------------------------------------------------- accesses
  logic        start_write;  // pulse
  logic        start_read;   // pulse
  logic        write_q;      // access under way
  logic        read_q;
  logic        aw_q;
  logic        w_q;
  logic        ar_q;
  logic [31:0] target_q;     // its address
  logic [63:0] wdata_q;
  logic        done;
  logic [63:0] rdata;
  logic [63:0] info;
  logic        to_core;
  logic        to_memory;
  logic        to_bridge;
  logic [6:0]  reset_q;      // cycles that the core's reset lasts on

  assign to_memory = target_q[31];
  assign to_bridge = !target_q[31] && target_q[30];
  assign to_core   = target_q[31:30] == 2'b00;

  always_comb begin
    case (target_q[5:3])
      3'd0:    info = {Version, Magic};
      3'd1:    info = {32'(LineBytes), 32'(MemoryBytes)};
      3'd2:    info = {32'(ClocksPerBit), 32'(ClockHz)};
      3'd3:    info = {56'd0, last_q};
      default: info = '0;
    endcase
  end

  always_comb begin
    if (to_core) begin
      done  = write_q ? m_axil_bvalid_i : m_axil_rvalid_i;
      rdata = m_axil_rdata_i;
    end else if (to_memory) begin
      done  = mem_done_i;
      rdata = mem_rdata_i;
    end else begin
      done  = 1'b1;
      rdata = info;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= 1'b0;
      read_q  <= 1'b0;
      aw_q    <= 1'b0;
      w_q     <= 1'b0;
      ar_q    <= 1'b0;
      reset_q <= '1;
    end else begin
      if (start_write) begin
        write_q <= 1'b1;
        aw_q    <= address_q[31:30] == 2'b00;
        w_q     <= address_q[31:30] == 2'b00;
      end else begin
        if (done) write_q <= 1'b0;
        if (m_axil_awready_i) aw_q <= 1'b0;
        if (m_axil_wready_i) w_q <= 1'b0;
      end
      if (start_read) begin
        read_q <= 1'b1;
        ar_q   <= address_q[31:30] == 2'b00;
      end else begin
        if (done) read_q <= 1'b0;
        if (m_axil_arready_i) ar_q <= 1'b0;
      end
      if (write_q && to_bridge && (target_q[5:3] == 3'd4) && wdata_q[0]) reset_q <= '1;
      else if (reset_q != '0) reset_q <= reset_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_write || start_read) begin
      target_q <= address_q;
      wdata_q  <= word_q;
    end
  end

  assign core_rst_no      = reset_q == '0;
  assign m_axil_awvalid_o = aw_q;
  assign m_axil_awaddr_o  = target_q[15:0];
  assign m_axil_wvalid_o  = w_q;
  assign m_axil_wdata_o   = wdata_q;
  assign m_axil_bready_o  = 1'b1;
  assign m_axil_arvalid_o = ar_q;
  assign m_axil_araddr_o  = target_q[15:0];
  assign m_axil_rready_o  = 1'b1;
  assign mem_read_o       = read_q && to_memory;
  assign mem_write_o      = write_q && to_memory;
  assign mem_addr_o       = {2'b00, target_q[29:3]};
  assign mem_wdata_o      = wdata_q;

  // ---------------------------------------------------------------- requests and answers
  logic        word_complete;  // the eighth byte of a word has come
  logic        sent;
  logic [15:0] crc_rx;
  logic        crc_good;
  logic [7:0]  before_q;       // the byte before

  assign receiving     = (state_q == StateHeader) || (state_q == StateWords);
  assign crc_rx        = crc16(crc_q, rx_data_i);
  // The check is sent low byte first: it has come whole when its second byte is there.
  assign crc_good      = {rx_data_i, before_q} == crc_q;
  assign word_complete = (state_q == StateWords) && rx_valid_i && (index_q == 4'd7);
  assign sent          = tx_valid_o && tx_ready_i;
  assign start_read    = (state_q == StateFetch) && (index_q == 4'd0);

  // A word is written one cycle after its last byte, when word_q holds it.
  logic word_ready_q;
  assign start_write = !repeated_q
    && ((word_ready_q && (left_q != '0)) || ((state_q == StateCommit) && (index_q == 4'd0)));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q      <= StateSync;
      index_q      <= '0;
      crc_q        <= '0;
      op_q         <= '0;
      sequence_q   <= '0;
      left_q       <= '0;
      address_q    <= '0;
      status_q     <= '0;
      repeated_q   <= 1'b0;
      last_q       <= '0;
      timeout_q    <= '0;
      word_ready_q <= 1'b0;
    end else begin
      word_ready_q <= word_complete;
      timeout_q    <= (rx_valid_i || !receiving) ? '0 : timeout_q + 1'b1;
      // The next word of a write has another address.
      if (word_ready_q && (left_q != '0)) begin
        left_q    <= left_q - 1'b1;
        address_q <= address_q + 32'd8;
      end
      case (state_q)
        StateSync: begin
          index_q <= '0;
          crc_q   <= '1;
          if (rx_valid_i && (rx_data_i == SyncRequest)) state_q <= StateHeader;
        end
        StateHeader: begin
          if (rx_valid_i) begin
            index_q <= index_q + 1'b1;
            if (index_q < 4'd7) crc_q <= crc_rx;
            case (index_q)
              4'd0:    op_q <= rx_data_i;
              4'd1:    sequence_q <= rx_data_i;
              4'd2:    left_q <= rx_data_i;
              4'd3:    address_q[7:0] <= rx_data_i;
              4'd4:    address_q[15:8] <= rx_data_i;
              4'd5:    address_q[23:16] <= rx_data_i;
              4'd6:    address_q[31:24] <= rx_data_i;
              4'd8:    state_q <= crc_good ? StateDecide : StateSync;
              default: ;
            endcase
          end else if (&timeout_q) begin
            state_q <= StateSync;
          end
        end
        StateDecide: begin
          index_q    <= '0;
          crc_q      <= '1;
          repeated_q <= sequence_q == last_q;
          status_q   <= allowed ? StatusDone : StatusRefused;
          state_q    <= (allowed && (op_q == OpWrite)) ? StateWords : StateStatus;
        end
        StateWords: begin
          if (rx_valid_i) begin
            index_q <= index_q + 1'b1;
            if (index_q < 4'd8) crc_q <= crc_rx;
            if ((index_q == 4'd7) && (left_q != '0)) index_q <= '0;
            if (index_q == 4'd9) begin
              index_q  <= '0;
              status_q <= crc_good ? StatusDone : StatusCheck;
              crc_q    <= '1;
              state_q  <= crc_good ? StateCommit : StateStatus;
            end
          end else if (&timeout_q) begin
            state_q <= StateSync;
          end
        end
        StateCommit: begin
          // One cycle for the access to begin.
          index_q <= 4'd1;
          if ((index_q != '0) && !write_q) begin
            index_q <= '0;
            last_q  <= sequence_q;
            state_q <= StateStatus;
          end
        end
        StateStatus: begin
          if (sent) begin
            index_q <= index_q + 1'b1;
            if (index_q != 4'd0) crc_q <= crc16(crc_q, tx_data_o);
            if (index_q == 4'd2) begin
              index_q <= '0;
              state_q <= ((op_q == OpRead) && (status_q == StatusDone)) ? StateFetch : StateCheck;
            end
          end
        end
        StateFetch: begin
          index_q <= 4'd1;
          if (read_q && done) begin
            index_q <= '0;
            state_q <= StateSend;
          end
        end
        StateSend: begin
          if (sent) begin
            index_q <= index_q + 1'b1;
            crc_q   <= crc16(crc_q, tx_data_o);
            if (index_q == 4'd7) begin
              index_q   <= '0;
              left_q    <= left_q - 1'b1;
              address_q <= address_q + 32'd8;
              state_q   <= (left_q == '0) ? StateCheck : StateFetch;
            end
          end
        end
        default: begin
          if (sent) begin
            index_q <= index_q + 1'b1;
            if (index_q == 4'd1) state_q <= StateSync;
          end
        end
      endcase
    end
  end

  // Words come in at the top and go out at the bottom.
  always_ff @(posedge clk_i) begin
    if (rx_valid_i) before_q <= rx_data_i;
    if ((state_q == StateWords) && rx_valid_i && (index_q < 4'd8)) begin
      word_q <= {rx_data_i, word_q[63:8]};
    end else if ((state_q == StateFetch) && read_q && done) begin
      word_q <= rdata;
    end else if ((state_q == StateSend) && sent) begin
      word_q <= {8'h00, word_q[63:8]};
    end
  end

  always_comb begin
    case (state_q)
      StateStatus: tx_data_o = (index_q == 4'd0) ? SyncAnswer : (index_q == 4'd1) ? status_q : sequence_q;
      StateSend:   tx_data_o = word_q[7:0];
      default:     tx_data_o = (index_q == 4'd0) ? crc_q[7:0] : crc_q[15:8];
    endcase
  end

  assign tx_valid_o = (state_q == StateStatus) || (state_q == StateSend) || (state_q == StateCheck);

endmodule
