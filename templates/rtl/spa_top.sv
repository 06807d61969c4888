// spa_top: the accelerator. AXI4-Lite registers and an AXI4 memory master around the SPE array.
//
// One AXI identifier is used, so the identifier signals are left out; a wrapper that needs them ties them to 0. Bursts
// are INCR of whole lines; writes are single beats with all strobes set.

module spa_top #(
  parameter int           Rows            = 1,
  parameter int           Cols            = 1,
  parameter int           Spus            = 2,
  parameter int           LabelBits       = 6,
  parameter int           SingletonBits   = 8,
  parameter int           EnergyBits      = 8,
  parameter int           PBits           = 8,
  parameter int           UBits           = 24,
  parameter int           CountBits       = 8,
  parameter int           RvCapacity      = 8192,
  parameter int           S2Capacity      = 8192,
  parameter int           TileWidthMax    = 128,
  parameter int           TileHeightMax   = 128,
  parameter int           ScheduleEntries = 64,
  parameter bit           S2Links         = 1'b1,
  parameter bit           Linear          = 1'b0,
  parameter bit           PairTable       = 1'b0,
  parameter bit           SingletonTable  = 1'b0,
  parameter bit           EdgeWeights     = 1'b0,
  parameter int           CostCapacity    = 1024,
  parameter int           RngShare        = 4,
  parameter int           LogFifoDepth    = 64,
  parameter int           MessageBits     = 32,
  parameter int           LineBits        = 512,
  parameter int           AxilAddrBits    = 16,
  parameter int           PipelineLatency = 0,       // of the array, shown to the host
  parameter logic [255:0] ConfigHash      = 256'h0
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

  localparam int         Spes      = Rows * Cols;
  localparam int         Slots     = LineBits / MessageBits;
  localparam int         Streams   = (Slots < 4) ? Slots : 4;
  localparam int         LineShift = $clog2(LineBits / 8);
  localparam logic [1:0] BurstIncr = 2'b01;

  assign m_axi_awlen_o   = 8'd0;
  assign m_axi_awsize_o  = 3'(LineShift);
  assign m_axi_awburst_o = BurstIncr;
  assign m_axi_wstrb_o   = '1;
  assign m_axi_wlast_o   = 1'b1;
  assign m_axi_arsize_o  = 3'(LineShift);
  assign m_axi_arburst_o = BurstIncr;

  // The reader counts its beats.
  logic unused;
  assign unused = m_axi_rlast_i;

  // Control: parameters, commands, slots
  logic        core_rst_n;
  logic        hold;
  logic        loader_quiet;
  logic        writer_quiet;
  logic        load_start;
  logic [63:0] load_base;
  logic [31:0] load_lines;
  logic        load_idle;
  logic        load_record;
  logic        read_error;
  logic        schedule_we;
  logic [7:0]  schedule_entry;
  logic [23:0] schedule_iterations;
  logic [16:0] cfg_width;
  logic [16:0] cfg_height;
  logic [15:0] cfg_tile_width;
  logic [15:0] cfg_tile_height;
  logic [8:0]  cfg_labels;
  logic [7:0]  cfg_alpha;
  logic [7:0]  cfg_beta;
  logic [4:0]  cfg_shift;
  logic [15:0] cfg_data_cap;
  logic [15:0] cfg_s_outside;
  logic        cfg_squared;
  logic [1:0]  cfg_s2_mode;
  logic [1:0]  cfg_pair_form;
  logic [7:0]  cfg_pair_cap;
  logic        cfg_s2_replicate;
  logic [15:0] cfg_s2_stride;
  logic [23:0] cfg_s2_wrap;
  logic [11:0] cfg_margin_left;
  logic [11:0] cfg_margin_up;
  logic [23:0] cfg_s2_margin_base;
  logic [63:0] cfg_seed;
  logic [7:0]  cfg_chain;
  logic        slot_valid;
  logic        slot_half_start;
  logic        slot_colour;
  logic        slot_collect;
  logic        slot_first;
  logic [15:0] slot_row0;
  logic [23:0] slot_row0_base;
  logic [23:0] slot_iteration;
  logic [7:0]  slot_entry;
  logic        stall;
  logic        array_idle;
  logic        drain_start;
  logic        drain_done;
  logic [39:0] sent;
  logic        log_clear;
  logic        ring_start;
  logic [63:0] ring_base;
  logic [23:0] ring_lines;
  logic [31:0] ring_read_index;
  logic [31:0] ring_write_index;
  logic        ring_full;
  logic        memory_wait;
  logic        almost_full;
  logic        line_done;
  logic [2:0]  received_step;
  logic        flush;
  logic        writer_idle;
  logic        write_error;
  logic        ring_error;
  logic        readback_start;
  logic [63:0] readback_base;
  logic [23:0] readback_words;
  logic        readback_idle;

  spa_control #(
    .Rows            (Rows),
    .Cols            (Cols),
    .Spus            (Spus),
    .LabelBits       (LabelBits),
    .SingletonBits   (SingletonBits),
    .EnergyBits      (EnergyBits),
    .PBits           (PBits),
    .UBits           (UBits),
    .CountBits       (CountBits),
    .RvCapacity      (RvCapacity),
    .S2Capacity      (S2Capacity),
    .TileWidthMax    (TileWidthMax),
    .TileHeightMax   (TileHeightMax),
    .ScheduleEntries (ScheduleEntries),
    .S2Links         (S2Links),
    .Linear          (Linear),
    .PairTable       (PairTable),
    .SingletonTable  (SingletonTable),
    .EdgeWeights     (EdgeWeights),
    .CostCapacity    (CostCapacity),
    .RngShare        (RngShare),
    .LogFifoDepth    (LogFifoDepth),
    .MessageBits     (MessageBits),
    .LineBits        (LineBits),
    .AxilAddrBits    (AxilAddrBits),
    .PipelineLatency (PipelineLatency),
    .ConfigHash      (ConfigHash)
  ) u_control (
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
    .core_rst_no           (core_rst_n),
    .hold_o                (hold),
    .memory_quiet_i        (loader_quiet && writer_quiet),
    .load_start_o           (load_start),
    .load_base_o            (load_base),
    .load_lines_o           (load_lines),
    .load_idle_i            (load_idle),
    .load_record_i          (load_record),
    .read_error_i           (read_error),
    .schedule_we_i          (schedule_we),
    .schedule_entry_i       (schedule_entry),
    .schedule_iterations_i  (schedule_iterations),
    .cfg_width_o            (cfg_width),
    .cfg_height_o           (cfg_height),
    .cfg_tile_width_o       (cfg_tile_width),
    .cfg_tile_height_o      (cfg_tile_height),
    .cfg_labels_o           (cfg_labels),
    .cfg_alpha_o            (cfg_alpha),
    .cfg_beta_o             (cfg_beta),
    .cfg_shift_o            (cfg_shift),
    .cfg_data_cap_o         (cfg_data_cap),
    .cfg_s_outside_o        (cfg_s_outside),
    .cfg_squared_o          (cfg_squared),
    .cfg_s2_mode_o          (cfg_s2_mode),
    .cfg_pair_form_o        (cfg_pair_form),
    .cfg_pair_cap_o         (cfg_pair_cap),
    .cfg_s2_replicate_o     (cfg_s2_replicate),
    .cfg_s2_stride_o        (cfg_s2_stride),
    .cfg_s2_wrap_o          (cfg_s2_wrap),
    .cfg_margin_left_o      (cfg_margin_left),
    .cfg_margin_up_o        (cfg_margin_up),
    .cfg_s2_margin_base_o   (cfg_s2_margin_base),
    .cfg_seed_o             (cfg_seed),
    .cfg_chain_o            (cfg_chain),
    .slot_valid_o           (slot_valid),
    .slot_half_start_o      (slot_half_start),
    .slot_colour_o          (slot_colour),
    .slot_collect_o         (slot_collect),
    .slot_first_o           (slot_first),
    .slot_row0_o            (slot_row0),
    .slot_row0_base_o       (slot_row0_base),
    .slot_iteration_o       (slot_iteration),
    .slot_entry_o           (slot_entry),
    .stall_i                (stall),
    .array_idle_i           (array_idle),
    .drain_start_o          (drain_start),
    .drain_done_i           (drain_done),
    .sent_i                 (sent),
    .log_clear_o            (log_clear),
    .ring_start_o           (ring_start),
    .ring_base_o            (ring_base),
    .ring_lines_o           (ring_lines),
    .ring_read_index_o      (ring_read_index),
    .ring_write_index_i     (ring_write_index),
    .ring_full_i            (ring_full),
    .memory_wait_i          (memory_wait),
    .almost_full_i          (almost_full),
    .line_done_i            (line_done),
    .received_step_i        (received_step),
    .flush_o                (flush),
    .writer_idle_i          (writer_idle),
    .write_error_i          (write_error),
    .ring_error_i           (ring_error),
    .readback_start_o       (readback_start),
    .readback_base_o        (readback_base),
    .readback_words_o       (readback_words),
    .readback_idle_i        (readback_idle)
  );

  // Loader
  logic        load_valid;
  logic [3:0]  load_target;
  logic [11:0] load_spe;
  logic [23:0] load_addr;
  logic [23:0] load_data;

  spa_loader #(
    .LineBits (LineBits)
  ) u_loader (
    .clk_i,
    .rst_ni                (core_rst_n),
    .start_i               (load_start),
    .base_i                (load_base),
    .lines_i               (load_lines),
    .hold_i                (hold),
    .idle_o                (load_idle),
    .quiet_o               (loader_quiet),
    .error_o               (read_error),
    .load_valid_o          (load_valid),
    .load_target_o         (load_target),
    .load_spe_o            (load_spe),
    .load_addr_o           (load_addr),
    .load_data_o           (load_data),
    .schedule_we_o         (schedule_we),
    .schedule_entry_o      (schedule_entry),
    .schedule_iterations_o (schedule_iterations),
    .m_axi_arvalid_o,
    .m_axi_arready_i,
    .m_axi_araddr_o,
    .m_axi_arlen_o,
    .m_axi_rvalid_i,
    .m_axi_rready_o,
    .m_axi_rdata_i,
    .m_axi_rresp_i
  );

  assign load_record = load_valid || schedule_we;

  // Array
  logic                        label_ask;
  logic [11:0]                 label_spe;
  logic [23:0]                 label_addr;
  logic                        label_valid;
  logic [7:0]                  label_value;
  logic [Spes-1:0]             spe_valid;
  logic [Spes*MessageBits-1:0] spe_data;
  logic [Spes-1:0]             spe_ready;

  spa_array #(
    .Rows            (Rows),
    .Cols            (Cols),
    .Spus            (Spus),
    .LabelBits       (LabelBits),
    .SingletonBits   (SingletonBits),
    .EnergyBits      (EnergyBits),
    .PBits           (PBits),
    .UBits           (UBits),
    .CountBits       (CountBits),
    .RvCapacity      (RvCapacity),
    .S2Capacity      (S2Capacity),
    .TileWidthMax    (TileWidthMax),
    .TileHeightMax   (TileHeightMax),
    .ScheduleEntries (ScheduleEntries),
    .S2Links         (S2Links),
    .Linear          (Linear),
    .PairTable       (PairTable),
    .SingletonTable  (SingletonTable),
    .EdgeWeights     (EdgeWeights),
    .CostCapacity    (CostCapacity),
    .RngShare        (RngShare),
    .LogFifoDepth    (LogFifoDepth),
    .MessageBits     (MessageBits)
  ) u_array (
    .clk_i,
    .rst_ni               (core_rst_n),
    .load_valid_i         (load_valid),
    .load_target_i        (load_target),
    .load_spe_i           (load_spe),
    .load_addr_i          (load_addr),
    .load_data_i          (load_data),
    .cfg_width_i          (cfg_width),
    .cfg_height_i         (cfg_height),
    .cfg_tile_width_i     (cfg_tile_width),
    .cfg_tile_height_i    (cfg_tile_height),
    .cfg_labels_i         (cfg_labels),
    .cfg_alpha_i          (cfg_alpha),
    .cfg_beta_i           (cfg_beta),
    .cfg_shift_i          (cfg_shift),
    .cfg_data_cap_i       (cfg_data_cap),
    .cfg_s_outside_i      (cfg_s_outside),
    .cfg_squared_i        (cfg_squared),
    .cfg_s2_mode_i        (cfg_s2_mode),
    .cfg_pair_form_i      (cfg_pair_form),
    .cfg_pair_cap_i       (cfg_pair_cap),
    .cfg_s2_replicate_i   (cfg_s2_replicate),
    .cfg_s2_stride_i      (cfg_s2_stride),
    .cfg_s2_wrap_i        (cfg_s2_wrap),
    .cfg_margin_left_i    (cfg_margin_left),
    .cfg_margin_up_i      (cfg_margin_up),
    .cfg_s2_margin_base_i (cfg_s2_margin_base),
    .cfg_seed_i           (cfg_seed),
    .cfg_chain_i          (cfg_chain),
    .slot_valid_i         (slot_valid),
    .slot_half_start_i    (slot_half_start),
    .slot_colour_i        (slot_colour),
    .slot_collect_i       (slot_collect),
    .slot_first_i         (slot_first),
    .slot_row0_i          (slot_row0),
    .slot_row0_base_i     (slot_row0_base),
    .slot_iteration_i     (slot_iteration),
    .slot_entry_i         (slot_entry),
    .stall_o              (stall),
    .idle_o               (array_idle),
    .drain_start_i        (drain_start),
    .drain_done_o         (drain_done),
    .rd_valid_i           (label_ask),
    .rd_spe_i             (label_spe),
    .rd_addr_i            (label_addr),
    .rd_valid_o           (label_valid),
    .rd_label_o           (label_value),
    .sent_o               (sent),
    .msg_valid_o          (spe_valid),
    .msg_data_o           (spe_data),
    .msg_ready_i          (spe_ready)
  );

  // Messages: hub tree, line builder
  logic [Streams-1:0]             root_valid;
  logic [Streams*MessageBits-1:0] root_data;
  logic [Streams-1:0]             root_ready;
  logic                           built_valid;
  logic [LineBits-1:0]            built_data;

  spa_hub_tree #(
    .Spes        (Spes),
    .MessageBits (MessageBits),
    .Outputs     (Streams)
  ) u_hub_tree (
    .clk_i,
    .rst_ni      (core_rst_n),
    .msg_valid_i (spe_valid),
    .msg_data_i  (spe_data),
    .msg_ready_o (spe_ready),
    .msg_valid_o (root_valid),
    .msg_data_o  (root_data),
    .msg_ready_i (root_ready)
  );

  spa_line_builder #(
    .Inputs      (Streams),
    .MessageBits (MessageBits),
    .LineBits    (LineBits)
  ) u_line_builder (
    .clk_i,
    .rst_ni             (core_rst_n),
    .msg_valid_i        (root_valid),
    .msg_data_i         (root_data),
    .msg_ready_o        (root_ready),
    .flush_i            (flush),
    .line_almost_full_i (almost_full),
    .line_valid_o       (built_valid),
    .line_data_o        (built_data),
    .received_o         (received_step)
  );

  // Labels share the writer with the log: they come when the log is complete.
  logic                labels_valid;
  logic [LineBits-1:0] labels_data;

  spa_label_reader #(
    .Spes       (Spes),
    .RvCapacity (RvCapacity),
    .LineBits   (LineBits)
  ) u_label_reader (
    .clk_i,
    .rst_ni             (core_rst_n),
    .start_i            (readback_start),
    .words_i            (readback_words),
    .idle_o             (readback_idle),
    .rd_valid_o         (label_ask),
    .rd_spe_o           (label_spe),
    .rd_addr_o          (label_addr),
    .rd_valid_i         (label_valid),
    .rd_label_i         (label_value),
    .line_valid_o       (labels_valid),
    .line_data_o        (labels_data),
    .line_almost_full_i (almost_full)
  );

  spa_log_writer #(
    .LineBits (LineBits)
  ) u_log_writer (
    .clk_i,
    .rst_ni             (core_rst_n),
    .clear_i            (log_clear),
    .ring_start_i       (ring_start),
    .linear_start_i     (readback_start),
    .hold_i             (hold),
    .ring_base_i        (ring_base),
    .ring_lines_i       (ring_lines),
    .ring_read_index_i  (ring_read_index),
    .linear_base_i      (readback_base),
    .line_valid_i       (built_valid || labels_valid),
    .line_data_i        (readback_idle ? built_data : labels_data),
    .line_almost_full_o (almost_full),
    .idle_o             (writer_idle),
    .quiet_o            (writer_quiet),
    .ring_full_o        (ring_full),
    .memory_wait_o      (memory_wait),
    .line_done_o        (line_done),
    .write_index_o      (ring_write_index),
    .error_o            (write_error),
    .ring_error_o       (ring_error),
    .m_axi_awvalid_o,
    .m_axi_awready_i,
    .m_axi_awaddr_o,
    .m_axi_wvalid_o,
    .m_axi_wready_i,
    .m_axi_wdata_o,
    .m_axi_bvalid_i,
    .m_axi_bready_o,
    .m_axi_bresp_i
  );

endmodule
