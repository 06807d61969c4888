// spa_array: stand-in for the SPE array. It records what the shell sends, checks the timing of slots and makes random
// messages; the behaviour is C++ (stub.hpp), called once a cycle.

module spa_array #(
  parameter int Rows            = 1,
  parameter int Cols            = 1,
  parameter int Spus            = 2,
  parameter int LabelBits       = 6,
  parameter int SingletonBits   = 8,
  parameter int EnergyBits      = 8,
  parameter int PBits           = 8,
  parameter int UBits           = 24,
  parameter int CountBits       = 8,
  parameter int RvCapacity      = 8192,
  parameter int S2Capacity      = 8192,
  parameter int TileWidthMax    = 128,
  parameter int TileHeightMax   = 128,
  parameter int ScheduleEntries = 64,
  parameter bit S2Links         = 1'b1,
  parameter bit Linear          = 1'b0,
  parameter bit PairTable       = 1'b0,
  parameter bit SingletonTable  = 1'b0,
  parameter bit EdgeWeights     = 1'b0,
  parameter int CostCapacity    = 1024,
  parameter int RngShare        = 4,
  parameter int LogFifoDepth    = 64,
  parameter int MessageBits     = 32,
  localparam int Spes           = Rows * Cols
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        load_valid_i,
  input  logic [3:0]                  load_target_i,
  input  logic [11:0]                 load_spe_i,
  input  logic [23:0]                 load_addr_i,
  input  logic [23:0]                 load_data_i,
  input  logic [16:0]                 cfg_width_i,
  input  logic [16:0]                 cfg_height_i,
  input  logic [15:0]                 cfg_tile_width_i,
  input  logic [15:0]                 cfg_tile_height_i,
  input  logic [8:0]                  cfg_labels_i,
  input  logic [7:0]                  cfg_alpha_i,
  input  logic [7:0]                  cfg_beta_i,
  input  logic [4:0]                  cfg_shift_i,
  input  logic [15:0]                 cfg_data_cap_i,
  input  logic [15:0]                 cfg_s_outside_i,
  input  logic                        cfg_squared_i,
  input  logic [1:0]                  cfg_s2_mode_i,
  input  logic [1:0]                  cfg_pair_form_i,
  input  logic [7:0]                  cfg_pair_cap_i,
  input  logic                        cfg_s2_replicate_i,
  input  logic [15:0]                 cfg_s2_stride_i,
  input  logic [23:0]                 cfg_s2_wrap_i,
  input  logic [11:0]                 cfg_margin_left_i,
  input  logic [11:0]                 cfg_margin_up_i,
  input  logic [23:0]                 cfg_s2_margin_base_i,
  input  logic [63:0]                 cfg_seed_i,
  input  logic [7:0]                  cfg_chain_i,
  input  logic                        slot_valid_i,
  input  logic                        slot_half_start_i,
  input  logic                        slot_colour_i,
  input  logic                        slot_collect_i,
  input  logic                        slot_first_i,
  input  logic [15:0]                 slot_row0_i,
  input  logic [23:0]                 slot_row0_base_i,
  input  logic [23:0]                 slot_iteration_i,
  input  logic [7:0]                  slot_entry_i,
  output logic                        stall_o,
  output logic                        idle_o,
  input  logic                        drain_start_i,
  output logic                        drain_done_o,
  input  logic                        rd_valid_i,
  input  logic [11:0]                 rd_spe_i,
  input  logic [23:0]                 rd_addr_i,
  output logic                        rd_valid_o,
  output logic [7:0]                  rd_label_o,
  output logic [39:0]                 sent_o,
  output logic [Spes-1:0]             msg_valid_o,
  output logic [Spes*MessageBits-1:0] msg_data_o,
  input  logic [Spes-1:0]             msg_ready_i
);

  import "DPI-C" function void stub_load(input int target, input int spe, input int addr, input int data);
  import "DPI-C" function void stub_slot(input int half_start, input int colour, input int collect, input int first,
    input int row0, input int base, input int iteration, input int entry);
  import "DPI-C" function int stub_label(input int spe, input int addr);
  // Status: bit 0 stall, 1 idle, 2 drain done, the rest messages sent.
  import "DPI-C" function longint stub_cycle(input int running, input int drain_start);
  // Bit 63 of the result: valid.
  import "DPI-C" function longint stub_message(input int spe, input int taken);

  localparam int ReadLatency = 5;

  longint                 status;
  longint                 message;
  logic [ReadLatency-1:0] rd_valid_q;
  logic [8*ReadLatency-1:0] rd_label_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni && load_valid_i) begin
      stub_load(32'(load_target_i), 32'(load_spe_i), 32'(load_addr_i), 32'(load_data_i));
    end
    if (rst_ni && slot_valid_i) begin
      stub_slot(32'(slot_half_start_i), 32'(slot_colour_i), 32'(slot_collect_i), 32'(slot_first_i),
        32'(slot_row0_i), 32'(slot_row0_base_i), 32'(slot_iteration_i), 32'(slot_entry_i));
    end
    for (int i = 0; i < Spes; i++) begin
      message = stub_message(i, 32'(msg_valid_o[i] && msg_ready_i[i]));
      msg_valid_o[i] <= message[63];
      msg_data_o[i*MessageBits +: MessageBits] <= message[MessageBits-1:0] & ~(MessageBits'(message[63]) << 63);
    end
    status = stub_cycle(32'(rst_ni), 32'(drain_start_i));
    stall_o      <= status[0];
    idle_o       <= status[1];
    drain_done_o <= status[2];
    sent_o       <= status[42:3];
    rd_valid_q   <= rst_ni ? {rd_valid_q[ReadLatency-2:0], rd_valid_i} : '0;
    rd_label_q   <= {rd_label_q[8*ReadLatency-9:0], 8'(stub_label(32'(rd_spe_i), 32'(rd_addr_i)))};
  end

  assign rd_valid_o = rd_valid_q[ReadLatency-1];
  assign rd_label_o = rd_label_q[8*ReadLatency-1 -: 8];

endmodule
