// spa_entry_mem: most and least recently picked label of each RV with their counts (label entry, Algorithm 1)

module spa_entry_mem #(
  parameter int LabelBits  = 6,
  parameter int CountBits  = 8,
  parameter int RvCapacity = 8192,
  localparam int RvBits    = $clog2(RvCapacity),
  localparam int PairBits  = LabelBits + CountBits
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // Write-back of a RV, or its drain
  input  logic                       valid_i,
  input  logic                       drain_i,
  input  logic                       first_i,   // first collected iteration: the old entry does not count
  input  logic                       keep_i,    // evidence or padding
  input  logic [RvBits-1:0]          addr_i,
  input  logic [LabelBits-1:0]       label_i,

  // Message, at most one a cycle
  output logic                       push_o,
  output logic [RvBits+PairBits-1:0] message_o  // {address, label, count}
);

  localparam logic [CountBits-1:0] Max = '1;

  // ---------------------------------------------------------------- read: cycles 0 to 2
  logic                       we_q;
  logic [RvBits-1:0]          addr_4_q;
  logic [2*PairBits-1:0]      entry_4_q, entry_2;

  spa_ram_1r1w #(.Width(2 * PairBits), .Depth(RvCapacity)) u_ram (
    .clk_i,
    .we_i   (we_q), .waddr_i(addr_4_q), .wdata_i(entry_4_q),
    .raddr_i(addr_i), .rdata_o(entry_2)
  );

  logic                 valid_2, drain_2, first_2, keep_2;
  logic [RvBits-1:0]    addr_2;
  logic [LabelBits-1:0] label_2;
  spa_delay #(.Width(4 + RvBits + LabelBits), .Stages(2)) u_operation (
    .clk_i,
    .data_i({valid_i & rst_ni, drain_i, first_i, keep_i, addr_i, label_i}),
    .data_o({valid_2, drain_2, first_2, keep_2, addr_2, label_2})
  );

  // ---------------------------------------------------------------- compare: cycle 3
  logic [LabelBits-1:0] label_a, label_b, label_3_q, label_a_3_q, label_b_3_q;
  logic [CountBits-1:0] count_a, count_b, count_a_3_q, count_b_3_q;
  logic                 hit_a_3_q, hit_b_3_q, max_a_3_q, max_b_3_q, some_a_3_q, some_b_3_q;
  logic                 update_3_q, drain_3_q, first_3_q, clear_3_q;
  logic [RvBits-1:0]    addr_3_q;
  assign {label_b, count_b, label_a, count_a} = entry_2;   // a: most recently picked

  always_ff @(posedge clk_i) begin
    update_3_q  <= valid_2 && !drain_2 && (first_2 || !keep_2);
    drain_3_q   <= valid_2 && drain_2;
    first_3_q   <= first_2;
    clear_3_q   <= keep_2;
    addr_3_q    <= addr_2;
    label_3_q   <= label_2;
    label_a_3_q <= label_a;
    label_b_3_q <= label_b;
    count_a_3_q <= count_a;
    count_b_3_q <= count_b;
    // A pair with count 0 may hit: the result is that of a miss.
    hit_a_3_q   <= label_2 == label_a && !first_2;
    hit_b_3_q   <= label_2 == label_b && label_2 != label_a && !first_2;
    max_a_3_q   <= count_a == Max;
    max_b_3_q   <= count_b == Max;
    some_a_3_q  <= count_a != '0;
    some_b_3_q  <= count_b != '0;
  end

  // ---------------------------------------------------------------- update: cycle 4
  logic [CountBits-1:0] old_count, new_count;
  logic                 full, hit;
  assign hit       = hit_a_3_q || hit_b_3_q;
  assign full      = hit_a_3_q ? max_a_3_q : hit_b_3_q && max_b_3_q;
  assign old_count = hit_a_3_q ? count_a_3_q : count_b_3_q;
  assign new_count = hit && !full ? old_count + 1'b1 : CountBits'(1);

  logic                drain_4_q;
  logic                second_4_q;
  logic [PairBits-1:0] pair_b_4_q;

  always_ff @(posedge clk_i) begin
    we_q     <= update_3_q && rst_ni;
    addr_4_q <= addr_3_q;
    if (clear_3_q) begin
      entry_4_q <= '0;
    end else begin
      entry_4_q[PairBits-1:0] <= {label_3_q, new_count};
      if (first_3_q)      entry_4_q[2*PairBits-1:PairBits] <= '0;
      else if (hit_a_3_q) entry_4_q[2*PairBits-1:PairBits] <= {label_b_3_q, count_b_3_q};
      else                entry_4_q[2*PairBits-1:PairBits] <= {label_a_3_q, count_a_3_q};
    end

    // A full counter, a pair pushed out, or the first pair of a drain
    push_o <= rst_ni && ((update_3_q && !first_3_q && (full || (!hit && some_b_3_q)))
                         || (drain_3_q && some_a_3_q) || (drain_4_q && second_4_q));
    if (drain_4_q)      message_o <= {addr_4_q, pair_b_4_q};
    else if (drain_3_q) message_o <= {addr_3_q, label_a_3_q, count_a_3_q};
    else if (full)      message_o <= {addr_3_q, label_3_q, Max};
    else                message_o <= {addr_3_q, label_b_3_q, count_b_3_q};

    // Second pair of a drain: drains come every second cycle at most
    drain_4_q  <= drain_3_q;
    second_4_q <= some_b_3_q;
    pair_b_4_q <= {label_b_3_q, count_b_3_q};
  end

endmodule
