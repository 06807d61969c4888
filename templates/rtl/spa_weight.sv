// spa_weight: minimum, scaled energy, weight and sum of weights (SPU, Eq. 3.2 to 3.4)

module spa_weight #(
  parameter int LabelBits       = 6,
  parameter int EnergyBits      = 8,
  parameter int PBits           = 8,
  parameter int ScheduleEntries = 64,
  parameter bit Linear          = 1'b0,
  localparam int ThrBits        = EnergyBits + 1,
  localparam int EntryBits      = $clog2(ScheduleEntries),
  localparam int TableBits      = EntryBits + EnergyBits,
  localparam int SumBits        = LabelBits + PBits
) (
  input  logic                     clk_i,

  // Pass 1: energies; the minimum is taken over once all labels have passed
  input  logic                     e_first_i,
  input  logic                     min_hold_i,
  input  logic [EnergyBits-1:0]    e_i,

  // Pass 2: energies again, weights three cycles later
  input  logic [EnergyBits-1:0]    e_again_i,
  input  logic [PBits*ThrBits-1:0] thr_i,
  input  logic [EntryBits-1:0]     entry_i,
  output logic [PBits-1:0]         w_o,

  // Sum, held until the next slot's is known
  input  logic                     w_first_i,
  input  logic                     sum_hold_i,
  output logic [SumBits-1:0]       sum_o,

  // Load bus: weight table (Linear)
  input  logic                     table_we_i,
  input  logic [TableBits-1:0]     table_waddr_i,
  input  logic [PBits-1:0]         table_wdata_i
);

  logic [EnergyBits-1:0] min_q, min_held_q, es_q;
  always_ff @(posedge clk_i) begin
    if (e_first_i || e_i < min_q) min_q <= e_i;
    if (min_hold_i) min_held_q <= min_q;
    es_q <= e_again_i - min_held_q;
  end

  if (Linear) begin : g_linear
    spa_ram_1r1w #(.Width(PBits), .Depth(2 ** EnergyBits * ScheduleEntries)) u_table (
      .clk_i,
      .we_i   (table_we_i), .waddr_i(table_waddr_i), .wdata_i(table_wdata_i),
      .raddr_i({entry_i, es_q}), .rdata_o(w_o)
    );
    logic unused_thr;
    assign unused_thr = ^thr_i;
  end else begin : g_pow2
    // Thresholds fall with k, so the largest k with es < t_k is the one above which no comparator is set.
    logic [PBits-1:0] below_q;
    for (genvar k = 0; k < PBits; k++) begin : g_threshold
      logic [ThrBits-1:0] thr;
      assign thr = thr_i[k*ThrBits +: ThrBits];
      always_ff @(posedge clk_i) below_q[k] <= thr[EnergyBits] || es_q < thr[EnergyBits-1:0];
    end
    always_ff @(posedge clk_i) w_o <= below_q & ~(below_q >> 1);
    logic unused_table;
    assign unused_table = ^{table_we_i, table_waddr_i, table_wdata_i, entry_i};
  end

  logic [SumBits-1:0] sum_q;
  always_ff @(posedge clk_i) begin
    sum_q <= (w_first_i ? SumBits'(0) : sum_q) + SumBits'(w_o);
    if (sum_hold_i) sum_o <= sum_q;
  end

endmodule
