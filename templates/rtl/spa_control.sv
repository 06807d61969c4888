// spa_control: registers, sequencer, slot issuer and counters: everything that is not data.
//
// Parameters of the build are only shown to the host here, but for the limits that the sequencer checks.

module spa_control #(
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
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // AXI4-Lite slave
  input  logic                      s_axil_awvalid_i,
  output logic                      s_axil_awready_o,
  input  logic [AxilAddrBits-1:0]   s_axil_awaddr_i,
  input  logic                      s_axil_wvalid_i,
  output logic                      s_axil_wready_o,
  input  logic [63:0]               s_axil_wdata_i,
  input  logic [7:0]                s_axil_wstrb_i,
  output logic                      s_axil_bvalid_o,
  input  logic                      s_axil_bready_i,
  output logic [1:0]                s_axil_bresp_o,
  input  logic                      s_axil_arvalid_i,
  output logic                      s_axil_arready_o,
  input  logic [AxilAddrBits-1:0]   s_axil_araddr_i,
  output logic                      s_axil_rvalid_o,
  input  logic                      s_axil_rready_i,
  output logic [63:0]               s_axil_rdata_o,
  output logic [1:0]                s_axil_rresp_o,

  // Reset of everything outside this module; start no memory transaction; none in flight
  output logic                      core_rst_no,
  output logic                      hold_o,
  input  logic                      memory_quiet_i,

  // Loader
  output logic                      load_start_o,
  output logic [63:0]               load_base_o,
  output logic [31:0]               load_lines_o,
  input  logic                      load_idle_i,
  input  logic                      load_record_i,
  input  logic                      read_error_i,
  input  logic                      schedule_we_i,
  input  logic [7:0]                schedule_entry_i,
  input  logic [23:0]               schedule_iterations_i,

  // Array: configuration
  output logic [16:0]               cfg_width_o,
  output logic [16:0]               cfg_height_o,
  output logic [15:0]               cfg_tile_width_o,
  output logic [15:0]               cfg_tile_height_o,
  output logic [8:0]                cfg_labels_o,
  output logic [7:0]                cfg_alpha_o,
  output logic [7:0]                cfg_beta_o,
  output logic [4:0]                cfg_shift_o,
  output logic [15:0]               cfg_data_cap_o,
  output logic [15:0]               cfg_s_outside_o,
  output logic                      cfg_squared_o,
  output logic [1:0]                cfg_s2_mode_o,
  output logic [1:0]                cfg_pair_form_o,
  output logic [7:0]                cfg_pair_cap_o,
  output logic                      cfg_s2_replicate_o,
  output logic [15:0]               cfg_s2_stride_o,
  output logic [23:0]               cfg_s2_wrap_o,
  output logic [11:0]               cfg_margin_left_o,
  output logic [11:0]               cfg_margin_up_o,
  output logic [23:0]               cfg_s2_margin_base_o,
  output logic [63:0]               cfg_seed_o,
  output logic [7:0]                cfg_chain_o,

  // Array: slots and drain
  output logic                      slot_valid_o,
  output logic                      slot_half_start_o,
  output logic                      slot_colour_o,
  output logic                      slot_collect_o,
  output logic                      slot_first_o,
  output logic [15:0]               slot_row0_o,
  output logic [23:0]               slot_row0_base_o,
  output logic [23:0]               slot_iteration_o,
  output logic [7:0]                slot_entry_o,
  input  logic                      stall_i,
  input  logic                      array_idle_i,
  output logic                      drain_start_o,
  input  logic                      drain_done_i,
  input  logic [39:0]               sent_i,

  // Log
  output logic                      log_clear_o,
  output logic                      ring_start_o,
  output logic [63:0]               ring_base_o,
  output logic [23:0]               ring_lines_o,
  output logic [31:0]               ring_read_index_o,
  input  logic [31:0]               ring_write_index_i,
  input  logic                      ring_full_i,
  input  logic                      memory_wait_i,
  input  logic                      almost_full_i,
  input  logic                      line_done_i,
  input  logic [2:0]                received_step_i,
  output logic                      flush_o,
  input  logic                      writer_idle_i,
  input  logic                      write_error_i,
  input  logic                      ring_error_i,

  // Label readback
  output logic                      readback_start_o,
  output logic [63:0]               readback_base_o,
  output logic [23:0]               readback_words_o,
  input  logic                      readback_idle_i
);

  // Fields of the registers that stay here, by the names of the register map
  logic [15:0] tile_size_groups;
  logic [23:0] iterations_total;
  logic [23:0] iterations_burn_in;
  logic [15:0] slot_timing_cycles;
  logic [23:0] slot_timing_switch_gap;
  logic [8:0]  schedule_entries;
  logic        control_start;
  logic        control_load;
  logic        control_run;
  logic        control_readback;
  logic        control_stop;
  logic        control_soft_reset;
  logic        control_clear_errors;
  logic [3:0]  status_state;
  logic        status_idle;
  logic        status_done;
  logic        status_stopped;
  logic        status_error;
  logic        status_stall_array;
  logic        status_ring_full;
  logic        status_memory_wait;
  logic        errors_read_response;
  logic        errors_write_response;
  logic        errors_parameter;
  logic        errors_ring_index;
  logic        errors_start_busy;
  logic        errors_locked_write;
  logic        errors_bad_tile;
  logic        errors_bad_labels;
  logic        errors_bad_schedule;
  logic        errors_bad_ring;
  logic        errors_bad_load;
  logic        errors_bad_readback;
  logic [31:0] ring_write_index;
  logic [23:0] progress_iteration;
  logic [7:0]  progress_entry;
  logic        progress_colour;
  logic [47:0] count_total;
  logic [47:0] count_load;
  logic [47:0] count_run;
  logic [47:0] count_drain;
  logic [47:0] count_flush;
  logic [47:0] count_readback;
  logic [47:0] count_slots;
  logic [47:0] count_stall_fifo;
  logic [47:0] count_stall_ring;
  logic [47:0] count_stall_memory;
  logic [47:0] count_switch_gap;
  logic [47:0] count_records;
  logic [47:0] count_lines;
  logic [47:0] count_received;
  logic [39:0] count_sent;
  logic [63:0] unused_scratch;

  logic busy;
  logic accepted;
  logic locked_write;

  spa_regs #(
    .AddrBits        (AxilAddrBits),
    .ConfigHash      (ConfigHash),
    .Rows            (64'(Rows)),
    .Cols            (64'(Cols)),
    .Spus            (64'(Spus)),
    .RngShare        (64'(RngShare)),
    .PipelineLatency (64'(PipelineLatency)),
    .LabelBits       (64'(LabelBits)),
    .SingletonBits   (64'(SingletonBits)),
    .EnergyBits      (64'(EnergyBits)),
    .PBits           (64'(PBits)),
    .UBits           (64'(UBits)),
    .CountBits       (64'(CountBits)),
    .MessageBits     (64'(MessageBits)),
    .LineBits        (64'(LineBits)),
    .ScheduleEntries (64'(ScheduleEntries)),
    .LogFifoDepth    (64'(LogFifoDepth)),
    .RvCapacity      (64'(RvCapacity)),
    .S2Capacity      (64'(S2Capacity)),
    .TileWidthMax    (64'(TileWidthMax)),
    .TileHeightMax   (64'(TileHeightMax)),
    .CostCapacity    (64'(CostCapacity)),
    .S2Links         (64'(S2Links)),
    .Linear          (64'(Linear)),
    .PairTable       (64'(PairTable)),
    .SingletonTable  (64'(SingletonTable)),
    .EdgeWeights     (64'(EdgeWeights))
  ) u_regs (
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
    .busy_i         (busy),
    .start_i        (accepted),
    .locked_write_o (locked_write),
    .scratch_o                   (unused_scratch),
    .field_size_width_o          (cfg_width_o),
    .field_size_height_o         (cfg_height_o),
    .tile_size_width_o           (cfg_tile_width_o),
    .tile_size_height_o          (cfg_tile_height_o),
    .tile_size_groups_o          (tile_size_groups),
    .labels_o                    (cfg_labels_o),
    .energy_alpha_o              (cfg_alpha_o),
    .energy_beta_o               (cfg_beta_o),
    .energy_shift_o              (cfg_shift_o),
    .energy_data_cap_o           (cfg_data_cap_o),
    .energy_s_outside_o          (cfg_s_outside_o),
    .form_squared_o              (cfg_squared_o),
    .form_s2_mode_o              (cfg_s2_mode_o),
    .form_pair_form_o            (cfg_pair_form_o),
    .form_replicate_o            (cfg_s2_replicate_o),
    .form_pair_cap_o             (cfg_pair_cap_o),
    .s2_layout_stride_o          (cfg_s2_stride_o),
    .s2_layout_wrap_o            (cfg_s2_wrap_o),
    .s2_margin_left_o            (cfg_margin_left_o),
    .s2_margin_up_o              (cfg_margin_up_o),
    .s2_margin_base_o            (cfg_s2_margin_base_o),
    .seed_o                      (cfg_seed_o),
    .chain_o                     (cfg_chain_o),
    .iterations_total_o          (iterations_total),
    .iterations_burn_in_o        (iterations_burn_in),
    .slot_timing_cycles_o        (slot_timing_cycles),
    .slot_timing_switch_gap_o    (slot_timing_switch_gap),
    .schedule_entries_o          (schedule_entries),
    .load_base_o                 (load_base_o),
    .load_lines_o                (load_lines_o),
    .ring_base_o                 (ring_base_o),
    .ring_lines_o                (ring_lines_o),
    .ring_read_index_o           (ring_read_index_o),
    .readback_base_o             (readback_base_o),
    .readback_words_o            (readback_words_o),
    .control_start_o             (control_start),
    .control_load_o              (control_load),
    .control_run_o               (control_run),
    .control_readback_o          (control_readback),
    .control_stop_o              (control_stop),
    .control_soft_reset_o        (control_soft_reset),
    .control_clear_errors_o      (control_clear_errors),
    .status_state_i              (status_state),
    .status_idle_i               (status_idle),
    .status_done_i               (status_done),
    .status_stopped_i            (status_stopped),
    .status_error_i              (status_error),
    .status_stall_array_i        (status_stall_array),
    .status_ring_full_i          (status_ring_full),
    .status_memory_wait_i        (status_memory_wait),
    .errors_read_response_i      (errors_read_response),
    .errors_write_response_i     (errors_write_response),
    .errors_parameter_i          (errors_parameter),
    .errors_ring_index_i         (errors_ring_index),
    .errors_start_busy_i         (errors_start_busy),
    .errors_locked_write_i       (errors_locked_write),
    .errors_bad_tile_i           (errors_bad_tile),
    .errors_bad_labels_i         (errors_bad_labels),
    .errors_bad_schedule_i       (errors_bad_schedule),
    .errors_bad_ring_i           (errors_bad_ring),
    .errors_bad_load_i           (errors_bad_load),
    .errors_bad_readback_i       (errors_bad_readback),
    .ring_write_index_i          (ring_write_index),
    .progress_iteration_i        (progress_iteration),
    .progress_entry_i            (progress_entry),
    .progress_colour_i           (progress_colour),
    .count_total_i               (count_total),
    .count_load_i                (count_load),
    .count_run_i                 (count_run),
    .count_drain_i               (count_drain),
    .count_flush_i               (count_flush),
    .count_readback_i            (count_readback),
    .count_slots_i               (count_slots),
    .count_stall_fifo_i          (count_stall_fifo),
    .count_stall_ring_i          (count_stall_ring),
    .count_stall_memory_i        (count_stall_memory),
    .count_switch_gap_i          (count_switch_gap),
    .count_records_i             (count_records),
    .count_lines_i               (count_lines),
    .count_received_i            (count_received),
    .count_sent_i                (count_sent)
  );

  // Sequencer
  logic       run_start;
  logic       stop;
  logic       slots_done;
  logic       any_slot;
  logic       collected;
  logic [5:0] errors;
  logic [5:0] bad;
  logic       total_step;
  logic       load_step;
  logic       run_step;
  logic       drain_step;
  logic       flush_step;
  logic       readback_step;

  spa_sequencer #(
    .LineBits        (LineBits),
    .LabelBits       (LabelBits),
    .TileWidthMax    (TileWidthMax),
    .TileHeightMax   (TileHeightMax),
    .ScheduleEntries (ScheduleEntries)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .start_i          (control_start),
    .load_i           (control_load),
    .run_i            (control_run),
    .readback_i       (control_readback),
    .stop_i           (control_stop),
    .soft_reset_i     (control_soft_reset),
    .clear_errors_i   (control_clear_errors),
    .accepted_o       (accepted),
    .busy_o           (busy),
    .tile_width_i     (cfg_tile_width_o),
    .tile_height_i    (cfg_tile_height_o),
    .groups_i         (tile_size_groups),
    .labels_i         (cfg_labels_o),
    .entries_i        (schedule_entries),
    .load_base_i      (load_base_o),
    .ring_base_i      (ring_base_o),
    .ring_lines_i     (ring_lines_o),
    .readback_base_i  (readback_base_o),
    .readback_words_i (readback_words_o),
    .core_rst_no,
    .hold_o,
    .memory_quiet_i,
    .load_start_o,
    .load_idle_i,
    .run_start_o      (run_start),
    .stop_o           (stop),
    .slots_done_i     (slots_done),
    .any_slot_i       (any_slot),
    .collected_i      (collected),
    .array_idle_i,
    .drain_start_o,
    .drain_done_i,
    .sent_i,
    .received_i       (count_received[39:0]),
    .flush_o,
    .writer_idle_i,
    .readback_start_o,
    .readback_idle_i,
    .read_error_i,
    .write_error_i,
    .ring_error_i,
    .locked_write_i   (locked_write),
    .state_o          (status_state),
    .done_o           (status_done),
    .errors_o         (errors),
    .bad_o            (bad),
    .count_total_o    (total_step),
    .count_load_o     (load_step),
    .count_run_o      (run_step),
    .count_drain_o    (drain_step),
    .count_flush_o    (flush_step),
    .count_readback_o (readback_step)
  );

  assign {errors_locked_write, errors_start_busy, errors_ring_index, errors_parameter, errors_write_response,
    errors_read_response} = errors;
  assign {errors_bad_readback, errors_bad_load, errors_bad_ring, errors_bad_schedule, errors_bad_labels,
    errors_bad_tile} = bad;
  assign status_idle  = !busy;
  assign status_error = errors != '0;

  // Slots
  logic stalled;
  logic in_gap;

  spa_slot_issuer #(
    .ScheduleEntries (ScheduleEntries)
  ) u_slot_issuer (
    .clk_i,
    .rst_ni                (core_rst_no),
    .tile_width_i          (cfg_tile_width_o),
    .tile_height_i         (cfg_tile_height_o),
    .groups_i              (tile_size_groups),
    .iterations_i          (iterations_total),
    .burn_in_i             (iterations_burn_in),
    .slot_cycles_i         (slot_timing_cycles),
    .switch_gap_i          (slot_timing_switch_gap),
    .entries_i             (schedule_entries),
    .schedule_we_i,
    .schedule_entry_i,
    .schedule_iterations_i,
    .start_i               (run_start),
    .stop_i                (stop),
    .stall_i,
    .done_o                (slots_done),
    .stopped_o             (status_stopped),
    .any_o                 (any_slot),
    .collected_o           (collected),
    .stalled_o             (stalled),
    .in_gap_o              (in_gap),
    .iteration_o           (progress_iteration),
    .slot_valid_o,
    .slot_half_start_o,
    .slot_colour_o,
    .slot_collect_o,
    .slot_first_o,
    .slot_row0_o,
    .slot_row0_base_o,
    .slot_iteration_o,
    .slot_entry_o
  );

  assign progress_entry  = slot_entry_o;
  assign progress_colour = slot_colour_o;
  assign log_clear_o        = accepted;
  assign ring_start_o       = run_start;
  assign ring_write_index   = ring_write_index_i;
  assign status_ring_full   = ring_full_i;
  assign status_memory_wait = memory_wait_i;
  assign count_sent         = sent_i;

  // Counters. A stall is laid at the door of whatever holds up the lines, else of the hubs.
  localparam int Events = 13;

  logic                 stalled_q;
  logic [Events-1:0]    step_q;
  logic [48*Events-1:0] count;

  always_ff @(posedge clk_i) begin
    stalled_q <= stalled;
    step_q    <= {
      line_done_i,
      load_record_i,
      in_gap,
      stalled && almost_full_i && !ring_full_i,
      stalled && almost_full_i && ring_full_i,
      stalled && !almost_full_i,
      slot_valid_o,
      readback_step,
      flush_step,
      drain_step,
      run_step,
      load_step,
      total_step
    };
  end

  for (genvar i = 0; i < Events; i++) begin : g_count
    spa_counter u_counter (
      .clk_i,
      .clear_i (accepted || !rst_ni),
      .step_i  (step_q[i]),
      .value_o (count[48*i +: 48])
    );
  end

  assign {
    count_lines,
    count_records,
    count_switch_gap,
    count_stall_memory,
    count_stall_ring,
    count_stall_fifo,
    count_slots,
    count_readback,
    count_flush,
    count_drain,
    count_run,
    count_load,
    count_total
  } = count;

  spa_counter #(
    .StepBits (3)
  ) u_count_received (
    .clk_i,
    .clear_i (accepted || !rst_ni),
    .step_i  (received_step_i),
    .value_o (count_received)
  );

  assign status_stall_array = stalled_q;

endmodule
