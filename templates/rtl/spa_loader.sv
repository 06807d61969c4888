// spa_loader: reads load records from memory and drives the load bus, one record a cycle.
//
// Record (64 bits, lowest first in a line): [63:60] target, [59:48] SPE, [47:24] address, [23:0] data. Schedule records
// go to the sequencer, NOP records nowhere, all others to the array.

module spa_loader #(
  parameter int LineBits  = 512,
  parameter int FifoDepth = 32
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                start_i,  // pulse, while idle
  input  logic [63:0]         base_i,
  input  logic [31:0]         lines_i,
  input  logic                hold_i,   // start no transaction
  output logic                idle_o,
  output logic                quiet_o,  // no transaction in flight
  output logic                error_o,  // pulse: error response

  // Load bus
  output logic                load_valid_o,
  output logic [3:0]          load_target_o,
  output logic [11:0]         load_spe_o,
  output logic [23:0]         load_addr_o,
  output logic [23:0]         load_data_o,

  // Schedule memory of the sequencer
  output logic                schedule_we_o,
  output logic [7:0]          schedule_entry_o,
  output logic [23:0]         schedule_iterations_o,

  // AXI4 master, read channels
  output logic                m_axi_arvalid_o,
  input  logic                m_axi_arready_i,
  output logic [63:0]         m_axi_araddr_o,
  output logic [7:0]          m_axi_arlen_o,
  input  logic                m_axi_rvalid_i,
  output logic                m_axi_rready_o,
  input  logic [LineBits-1:0] m_axi_rdata_i,
  input  logic [1:0]          m_axi_rresp_i
);

  localparam int Records   = LineBits / 64;
  localparam int IndexBits = $clog2(Records);

  localparam logic [3:0] TargetSchedule = 4'd11;
  localparam logic [3:0] TargetNop      = 4'd15;

  logic                line_valid;
  logic [LineBits-1:0] line_data;
  logic                line_ready;
  logic                read_idle;

  spa_axi_read #(
    .LineBits  (LineBits),
    .FifoDepth (FifoDepth)
  ) u_read (
    .clk_i,
    .rst_ni,
    .start_i,
    .base_i,
    .lines_i,
    .hold_i,
    .idle_o       (read_idle),
    .quiet_o,
    .error_o,
    .line_valid_o (line_valid),
    .line_data_o  (line_data),
    .line_ready_i (line_ready),
    .m_axi_arvalid_o,
    .m_axi_arready_i,
    .m_axi_araddr_o,
    .m_axi_arlen_o,
    .m_axi_rvalid_i,
    .m_axi_rready_o,
    .m_axi_rdata_i,
    .m_axi_rresp_i
  );

  // The line in hand is shifted down by a record a cycle; the next one follows without a gap.
  logic                 hand_valid_q;
  logic [LineBits-1:0]  hand_q;
  logic [IndexBits-1:0] index_q;
  logic                 hand_last;

  assign hand_last  = index_q == IndexBits'(Records - 1);
  assign line_ready = !hand_valid_q || hand_last;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      hand_valid_q <= 1'b0;
      index_q      <= '0;
    end else begin
      if (line_ready) hand_valid_q <= line_valid;
      if (hand_valid_q) index_q <= index_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (line_ready) hand_q <= line_data;
    else hand_q <= {64'b0, hand_q[LineBits-1:64]};
  end

  // Broadcast registers. Payload needs no reset.
  logic       is_schedule;
  logic       is_nop;

  assign is_schedule = hand_q[63:60] == TargetSchedule;
  assign is_nop      = hand_q[63:60] == TargetNop;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      load_valid_o  <= 1'b0;
      schedule_we_o <= 1'b0;
    end else begin
      load_valid_o  <= hand_valid_q && !is_schedule && !is_nop;
      schedule_we_o <= hand_valid_q && is_schedule;
    end
  end

  always_ff @(posedge clk_i) begin
    load_target_o <= hand_q[63:60];
    load_spe_o    <= hand_q[59:48];
    load_addr_o   <= hand_q[47:24];
    load_data_o   <= hand_q[23:0];
  end

  assign schedule_entry_o      = load_addr_o[7:0];
  assign schedule_iterations_o = load_data_o;
  assign idle_o                = read_idle && !hand_valid_q;

endmodule
