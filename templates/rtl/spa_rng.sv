// spa_rng: Threefry-2x32-13, one block a cycle for `Share` SPEs
//
// A slot starts with `start_i`; in the following cycles the blocks of SPE 0, 1, ... are computed in turn. Counters and
// `c1_i` must stay valid for Share * Blocks cycles from `start_i`.

module spa_rng #(
  parameter int Share     = 4,
  parameter int Spus      = 2,
  parameter int UBits     = 24,
  localparam int Words    = Spus > 1 ? 2 : 1,
  localparam int Blocks   = (Spus + 1) / 2,
  localparam int BlockBits = Blocks > 1 ? $clog2(Blocks) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // Key schedule: first injection, the three others
  input  logic [63:0]            key_i,
  input  logic [95:0]            inject0_i,
  input  logic [95:0]            inject1_i,

  input  logic                   start_i,
  input  logic [Share*31-1:0]    c0_i,        // {y, x >> 2, colour} of the first block of each SPE
  input  logic [31:0]            c1_i,
  input  logic                   odd_i,       // Spus = 1: which word of the block

  output logic [Share-1:0]       valid_o,     // one-hot: the SPE
  output logic                   last_o,      // last block of the slot
  output logic [Words*UBits-1:0] data_o
);

  localparam int SpeBits = Share > 1 ? $clog2(Share) : 1;
  localparam int Stages  = 16;                // 13 rounds, 3 key injections

  // ---------------------------------------------------------------- issue
  logic                 run_q, run;
  logic [SpeBits-1:0]   spe_q, spe;
  logic [BlockBits-1:0] block_q, block;
  logic                 block_last, spe_last;
  logic [30:0]          c0;

  assign run        = start_i | run_q;
  assign spe        = start_i ? '0 : spe_q;
  assign block      = start_i ? '0 : block_q;
  assign block_last = int'(block) == Blocks - 1;
  assign spe_last   = int'(spe) == Share - 1;
  // Blocks of one SPE differ in the low bits of x >> 2, which are 0 in the first one.
  assign c0         = c0_i[int'(spe)*31 +: 31] | 31'({block, 1'b0});

  always_ff @(posedge clk_i) begin
    run_q   <= rst_ni && run && !(block_last && spe_last);
    block_q <= block_last ? '0 : block + 1'b1;
    spe_q   <= block_last ? spe + 1'b1 : spe;
  end

  // ---------------------------------------------------------------- rounds
  logic [31:0] in0_q, in1_q, key0_q, key1_q, out0, out1;

  always_ff @(posedge clk_i) begin
    in0_q   <= {1'b0, c0};
    in1_q   <= c1_i;
    key0_q  <= in0_q + key_i[31:0];
    key1_q  <= in1_q + key_i[63:32];
  end

  for (genvar s = 0; s < Stages; s++) begin : g_stage
    localparam int Group = s / 5;             // four rounds and an injection
    logic [31:0] x0, x1, x0_q, x1_q;

    if (s == 0) begin : g_first
      assign x0 = key0_q;
      assign x1 = key1_q;
    end else begin : g_next
      assign x0 = g_stage[s-1].x0_q;
      assign x1 = g_stage[s-1].x1_q;
    end

    if (s % 5 == 4) begin : g_inject
      always_ff @(posedge clk_i) begin
        x0_q <= x0 + inject0_i[32*Group +: 32];
        x1_q <= x1 + inject1_i[32*Group +: 32];
      end
    end else begin : g_round
      localparam int Round  = (4 * Group + s % 5) % 8;
      localparam int Rotate = Round == 0 ? 13 : Round == 1 ? 15 : Round == 2 ? 26 : Round == 3 ? 6 :
                              Round == 4 ? 17 : Round == 5 ? 29 : Round == 6 ? 16 : 24;
      logic [31:0] sum;
      assign sum = x0 + x1;
      always_ff @(posedge clk_i) begin
        x0_q <= sum;
        x1_q <= {x1[31-Rotate:0], x1[31:32-Rotate]} ^ sum;
      end
    end
  end

  assign out0 = g_stage[Stages-1].x0_q;
  assign out1 = g_stage[Stages-1].x1_q;
  logic unused_low;
  assign unused_low = ^{out0, out1};          // UBits may be less than 32

  // ---------------------------------------------------------------- result
  // Tags travel beside the pipeline: input register, first injection, stages.
  logic               tag_run, tag_last, tag_odd;
  logic [SpeBits-1:0] tag_spe;
  logic [1:0]         unused_odd;
  spa_delay #(.Width(3), .Stages(Stages + 2)) u_tag (
    .clk_i, .data_i({run, block_last, odd_i}), .data_o({tag_run, tag_last, tag_odd})
  );
  spa_delay #(.Width(SpeBits), .Stages(Stages + 2)) u_spe (.clk_i, .data_i(spe), .data_o(tag_spe));

  for (genvar n = 0; n < Share; n++) begin : g_valid
    always_ff @(posedge clk_i) valid_o[n] <= tag_run && int'(tag_spe) == n && rst_ni;
  end
  always_ff @(posedge clk_i) last_o <= tag_last;

  if (Words == 2) begin : g_both
    always_ff @(posedge clk_i) data_o <= {out1[31 -: UBits], out0[31 -: UBits]};
    assign unused_odd = {tag_odd, tag_odd};
  end else begin : g_one
    always_ff @(posedge clk_i) data_o <= tag_odd ? out1[31 -: UBits] : out0[31 -: UBits];
    assign unused_odd = '0;
  end

endmodule
