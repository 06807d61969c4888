// spa_axis: place of one column or row of tiles in the field: neighbours, padding, samples outside, counters
//
// All SPEs of a column share the x of their RVs, all SPEs of a row the y: borders are found once for each.

module spa_axis #(
  parameter int LocalBits   = 7,
  parameter int Lanes       = 2,      // samples a label: one for each SPU along x, one along y
  localparam int SampleBits = 19
) (
  input  logic                  clk_i,

  // Load bus: global coordinate of the tile
  input  logic                  we_i,
  input  logic [15:0]           wdata_i,

  // Configuration
  input  logic [16:0]           cfg_extent_i,
  input  logic [11:0]           cfg_margin_i,    // 0 where samples are addressed in the tile
  input  logic                  cfg_samples_i,

  // Slot: global coordinate one cycle later
  input  logic [LocalBits-1:0]  pos_i,
  output logic [15:0]           global_o,

  // RV: neighbours 7 cycles later, padding 9 cycles later
  input  logic [LocalBits-1:0]  local_i,
  output logic                  before_o,
  output logic                  after_o,
  output logic                  inside_o,

  // Sample of SPU 0, margin included: 13 cycles later
  input  logic [SampleBits-1:0] sample_i,
  output logic [Lanes-1:0]      outside_o
);

  // ---------------------------------------------------------------- limits, still before the first slot
  logic        [15:0]           origin_q;
  logic signed [SampleBits-1:0] end_q;           // local coordinate of the end of the field
  always_ff @(posedge clk_i) begin
    if (we_i) origin_q <= wdata_i;
    end_q <= SampleBits'(cfg_extent_i) - SampleBits'(origin_q);
  end

  // ---------------------------------------------------------------- RV
  logic signed [SampleBits-1:0] here;
  logic before_q, after_q, inside_q;
  assign here = SampleBits'(local_i);
  always_ff @(posedge clk_i) begin
    global_o <= origin_q + 16'(pos_i);
    before_q <= local_i != '0 || origin_q != '0;
    after_q  <= here < end_q - 1;
    inside_q <= here < end_q;
  end
  spa_delay #(.Width(2), .Stages(6)) u_neighbours (
    .clk_i, .data_i({before_q, after_q}), .data_o({before_o, after_o})
  );
  spa_delay #(.Width(1), .Stages(8)) u_inside (.clk_i, .data_i(inside_q), .data_o(inside_o));

  // ---------------------------------------------------------------- samples
  logic [Lanes-1:0] outside_q;
  for (genvar j = 0; j < Lanes; j++) begin : g_lane
    logic signed [SampleBits-1:0] first_q, last_q;
    always_ff @(posedge clk_i) begin
      first_q <= SampleBits'(cfg_margin_i) - SampleBits'(origin_q) - SampleBits'(2 * j);
      last_q  <= SampleBits'(cfg_margin_i) + end_q - SampleBits'(2 * j);
      outside_q[j] <= cfg_samples_i && ($signed(sample_i) < first_q || $signed(sample_i) >= last_q);
    end
  end
  spa_delay #(.Width(Lanes), .Stages(12)) u_outside (.clk_i, .data_i(outside_q), .data_o(outside_o));

endmodule
