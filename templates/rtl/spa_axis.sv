// spa_axis: place of one column or row of tiles in the field: neighbours, padding, samples outside, counters
//
// All SPEs of a column share the x of their RVs, all SPEs of a row the y: borders are found once for each.

module spa_axis #(
  parameter int LocalBits   = 7,
  parameter int Lanes       = 2,      // samples a label: one for each SPU along x, one along y
  localparam int SampleBits = 18
) (
  input  logic                  clk_i,

  // Load bus: global coordinate of the tile
  input  logic                  we_i,
  input  logic [15:0]           wdata_i,

  // Configuration
  input  logic [16:0]           cfg_extent_i,
  input  logic [15:0]           cfg_last_i,      // extent - 1
  input  logic [11:0]           cfg_margin_i,    // 0 where samples are addressed in the tile
  input  logic                  cfg_samples_i,

  // RV: neighbours 7 cycles later, padding 9 cycles later
  input  logic [LocalBits-1:0]  local_i,
  output logic                  before_o,
  output logic                  after_o,
  output logic                  inside_o,

  // Global coordinate of the RV one cycle before `first_i`, held
  input  logic                  first_i,
  output logic [15:0]           global_o,

  // Sample of SPU 0, margin included: 13 cycles later
  input  logic [SampleBits-1:0] sample_i,
  output logic [Lanes-1:0]      outside_o
);

  logic [15:0] origin_q;
  always_ff @(posedge clk_i) if (we_i) origin_q <= wdata_i;

  // ---------------------------------------------------------------- RV
  logic [16:0] here_q;
  logic        before_q, after_q, inside_q;
  always_ff @(posedge clk_i) begin
    here_q   <= {1'b0, origin_q} + 17'(local_i);
    before_q <= here_q != '0;
    after_q  <= here_q != {1'b0, cfg_last_i};
    inside_q <= here_q < cfg_extent_i;
    if (first_i) global_o <= here_q[15:0];
  end
  spa_delay #(.Width(2), .Stages(5)) u_neighbours (
    .clk_i, .data_i({before_q, after_q}), .data_o({before_o, after_o})
  );
  spa_delay #(.Width(1), .Stages(7)) u_inside (.clk_i, .data_i(inside_q), .data_o(inside_o));

  // ---------------------------------------------------------------- samples
  // A coordinate below 0 is a large unsigned number: one comparison finds both ends.
  logic [SampleBits-1:0] shift_q;
  logic [Lanes-1:0]      outside_q;
  always_ff @(posedge clk_i) shift_q <= SampleBits'(origin_q) - SampleBits'(cfg_margin_i);

  for (genvar j = 0; j < Lanes; j++) begin : g_lane
    logic [SampleBits-1:0] there_q, lane_shift_q;
    always_ff @(posedge clk_i) begin
      lane_shift_q <= shift_q + SampleBits'(2 * j);
      there_q      <= sample_i + lane_shift_q;
      outside_q[j] <= cfg_samples_i && there_q >= SampleBits'(cfg_extent_i);
    end
  end
  spa_delay #(.Width(Lanes), .Stages(11)) u_outside (.clk_i, .data_i(outside_q), .data_o(outside_o));

endmodule
