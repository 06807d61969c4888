// spa_draw: random numbers of the slots in flight and r = (u * sum of weights) >> UBits, one SPU a cycle

module spa_draw #(
  parameter int Spus      = 2,
  parameter int LabelBits = 6,
  parameter int PBits     = 8,
  parameter int UBits     = 24,
  localparam int SumBits  = LabelBits + PBits,
  localparam int Words    = Spus > 1 ? 2 : 1,                     // random numbers a block
  localparam int LaneBits = Spus > 1 ? $clog2(Spus) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // From the random number group: the blocks of a slot in order, the last one marked
  input  logic                    rng_valid_i,
  input  logic                    rng_last_i,
  input  logic [Words*UBits-1:0]  rng_data_i,

  // Sums of all SPUs are valid one cycle after `sum_hold_i`, and so is the first lane
  input  logic                    sum_hold_i,
  input  logic [3:0]              u_raddr_i,
  input  logic [LaneBits-1:0]     lane_i,
  input  logic [Spus*SumBits-1:0] sums_i,

  // r of SPU j, five cycles after its lane
  output logic [SumBits-1:0]      r_o
);

  // ---------------------------------------------------------------- numbers wait for 2 L + Spus + 3 cycles: 6 slots
  logic [3:0]            waddr_q;
  logic [Spus*UBits-1:0] numbers, head, u_q;

  if (Spus > 2) begin : g_collect
    logic [(Spus-2)*UBits-1:0] earlier_q;
    assign numbers = {rng_data_i, earlier_q};
    always_ff @(posedge clk_i) begin
      if (rng_valid_i) earlier_q <= numbers[Spus*UBits-1 : 2*UBits];
    end
  end else begin : g_single
    assign numbers = rng_data_i;
  end

  spa_lutram_1r1w #(.Width(Spus * UBits), .Depth(16)) u_numbers (
    .clk_i,
    .we_i   (rng_valid_i && rng_last_i), .waddr_i(waddr_q), .wdata_i(numbers),
    .raddr_i(u_raddr_i), .rdata_o(head)
  );

  always_ff @(posedge clk_i) begin
    if (sum_hold_i) u_q <= head;
    if (!rst_ni)                        waddr_q <= '0;
    else if (rng_valid_i && rng_last_i) waddr_q <= waddr_q + 1'b1;
  end

  // ---------------------------------------------------------------- one multiplier for all SPUs
  // In two halves, each a multiplier of the device, and the addition later. Multipliers stand where the device has them: a
  // register on each side takes the way there and back.
  localparam int LowBits  = UBits / 2;
  localparam int HighBits = UBits - LowBits;

  logic [UBits-1:0]            u_lane_q, u_lane_qq;
  logic [SumBits-1:0]          sum_lane_q, sum_lane_qq;
  logic [LowBits+SumBits-1:0]  low_q, low_qq;
  logic [HighBits+SumBits-1:0] high_q, high_qq;
  logic [UBits+SumBits-1:0]    product;

  if (Spus > 1) begin : g_lanes
    always_ff @(posedge clk_i) begin
      u_lane_q   <= u_q[int'(lane_i)*UBits +: UBits];
      sum_lane_q <= sums_i[int'(lane_i)*SumBits +: SumBits];
    end
  end else begin : g_one
    logic unused_lane;
    assign unused_lane = ^lane_i;
    always_ff @(posedge clk_i) begin
      u_lane_q   <= u_q;
      sum_lane_q <= sums_i;
    end
  end

  always_ff @(posedge clk_i) begin
    u_lane_qq   <= u_lane_q;
    sum_lane_qq <= sum_lane_q;
    low_q       <= u_lane_qq[LowBits-1:0] * sum_lane_qq;
    high_q      <= u_lane_qq[UBits-1:LowBits] * sum_lane_qq;
    low_qq      <= low_q;
    high_qq     <= high_q;
    r_o         <= product[UBits +: SumBits];
  end
  assign product = {high_qq, {LowBits{1'b0}}} + (UBits + SumBits)'(low_qq);
  logic unused_low;
  assign unused_low = ^product[UBits-1:0];

endmodule
