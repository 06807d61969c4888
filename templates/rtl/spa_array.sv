// spa_array: grid of SPEs, one-hop links, shared scheduler, random number groups (SPE array)

module spa_array #(
  parameter int unsigned Rows            = 1,
  parameter int unsigned Cols            = 1,
  parameter int unsigned Spus            = 2,     // SPUs an SPE: 1, 2, 4 or 8
  parameter int unsigned LabelBits       = 6,
  parameter int unsigned SingletonBits   = 8,
  parameter int unsigned EnergyBits      = 8,
  parameter int unsigned PBits           = 8,
  parameter int unsigned UBits           = 24,
  parameter int unsigned CountBits       = 8,
  parameter int unsigned RvCapacity      = 8192,  // RVs an SPE
  parameter int unsigned S2Capacity      = 8192,  // singleton 2 samples an SPE
  parameter int unsigned TileWidthMax    = 128,
  parameter int unsigned TileHeightMax   = 128,
  parameter int unsigned ScheduleEntries = 64,
  parameter bit          S2Links         = 1'b1,  // singleton 2 from the eight neighbours
  parameter bit          Linear          = 1'b0,  // w = p from a table, not a power of two
  parameter bit          PairTable       = 1'b0,
  parameter bit          SingletonTable  = 1'b0,
  parameter int unsigned CostCapacity    = 1024,  // costs an SPE (SingletonTable)
  parameter int unsigned RngShare        = 4,     // SPEs a random number generator
  parameter int unsigned LogFifoDepth    = 64,
  parameter int unsigned MessageBits     = 32,
  localparam int unsigned Spes           = Rows * Cols
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  // Load bus
  input  logic                        load_valid_i,
  input  logic [3:0]                  load_target_i,
  input  logic [11:0]                 load_spe_i,
  input  logic [23:0]                 load_addr_i,
  input  logic [23:0]                 load_data_i,

  // Configuration, stable from the first slot to the end of the drain
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

  // Slots
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

  // Drain
  input  logic                        drain_start_i,
  output logic                        drain_done_o,

  // Label readback, only while idle
  input  logic                        rd_valid_i,
  input  logic [11:0]                 rd_spe_i,
  input  logic [23:0]                 rd_addr_i,
  output logic                        rd_valid_o,
  output logic [7:0]                  rd_label_o,

  // Log FIFO heads, SPE 0 in the lowest bits
  output logic [39:0]                 sent_o,
  output logic [Spes-1:0]             msg_valid_o,
  output logic [Spes*MessageBits-1:0] msg_data_o,
  input  logic [Spes-1:0]             msg_ready_i
);

endmodule
