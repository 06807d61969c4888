// spa_line_builder: packs up to `Inputs` messages a cycle into lines, from the lowest bits up.
//
// Two stages that never stall: inputs are taken only while the line FIFO behind has room for everything in flight, so
// nothing waits here and no ready signal is combinational. Slots that a flush leaves unused are 0 (count 0 = unused).

module spa_line_builder #(
  parameter int Inputs      = 4,  // at most LineBits / MessageBits
  parameter int MessageBits = 32,
  parameter int LineBits    = 512
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic [Inputs-1:0]             msg_valid_i,
  input  logic [Inputs*MessageBits-1:0] msg_data_i,
  output logic [Inputs-1:0]             msg_ready_o,

  input  logic                          flush_i,  // pulse, while no message is on its way: write the partial line
  input  logic                          line_almost_full_i,
  output logic                          line_valid_o,
  output logic [LineBits-1:0]           line_data_o,

  output logic [2:0]                    received_o  // messages taken in the previous cycle
);

  localparam int Slots    = LineBits / MessageBits;
  localparam int FillBits = $clog2(Slots);
  localparam int SumBits  = (FillBits > 2 ? FillBits : 2) + 2;

  // Stage 1: close the gaps between valid inputs.
  logic                          take_q;
  logic [Inputs-1:0]             take;
  logic [2:0]                    count_d;
  logic [2:0]                    count_q;
  logic [Inputs*MessageBits-1:0] packed_d;
  logic [Inputs*MessageBits-1:0] packed_q;

  assign take        = msg_valid_i & {Inputs{take_q}};
  assign msg_ready_o = {Inputs{take_q}};
  assign received_o  = count_q;

  // An input goes to the place that the number of valid inputs before it gives: one of them for each place, so that a
  // sum of ANDs is enough.
  always_comb begin
    count_d  = '0;
    packed_d = '0;
    for (int i = 0; i < Inputs; i++) begin
      for (int p = 0; p <= i; p++) begin
        packed_d[p*MessageBits +: MessageBits] = packed_d[p*MessageBits +: MessageBits]
          | (msg_data_i[i*MessageBits +: MessageBits] & {MessageBits{take[i] && (count_d == 3'(p))}});
      end
      count_d = count_d + 3'(take[i]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      take_q  <= 1'b0;
      count_q <= '0;
    end else begin
      take_q  <= !line_almost_full_i;
      count_q <= count_d;
    end
  end

  always_ff @(posedge clk_i) packed_q <= packed_d;

  // Stage 2: message p goes to slot (fill + p) mod Slots. Slots below `fill_q` that are hit belong to the next line.
  logic [FillBits-1:0] fill_q;
  logic [SumBits-1:0]  sum;
  logic                full;
  logic [LineBits-1:0] held_d;
  logic [LineBits-1:0] held_q;
  logic [LineBits-1:0] line_d;
  logic                line_valid_q;
  logic [LineBits-1:0] line_q;

  assign sum  = SumBits'(fill_q) + SumBits'(count_q);
  assign full = sum[FillBits];  // never reaches twice the slots

  for (genvar s = 0; s < Slots; s++) begin : g_slot
    // Which message comes here, if any: one at most.
    logic [FillBits-1:0]    place;
    logic [Inputs-1:0]      hit;
    logic [MessageBits-1:0] message, held;
    assign place = FillBits'(s) - fill_q;
    assign held  = held_q[s*MessageBits +: MessageBits];

    always_comb begin
      message = '0;
      for (int p = 0; p < Inputs; p++) begin
        hit[p]  = (place == FillBits'(p)) && (count_q > 3'(p));
        message = message | (packed_q[p*MessageBits +: MessageBits] & {MessageBits{hit[p]}});
      end
    end

    assign held_d[s*MessageBits +: MessageBits] = (hit != '0) ? message : held;
    // A full line has a message in every slot from `fill_q` on, a flush has none.
    if (s < Slots - 1) begin : g_held
      assign line_d[s*MessageBits +: MessageBits] = (FillBits'(s) < fill_q) ? held : message;
    end else begin : g_last  // never below `fill_q`
      assign line_d[s*MessageBits +: MessageBits] = message;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fill_q       <= '0;
      line_valid_q <= 1'b0;
    end else begin
      fill_q       <= flush_i ? '0 : sum[FillBits-1:0];
      line_valid_q <= full || (flush_i && (fill_q != '0));
    end
  end

  always_ff @(posedge clk_i) begin
    held_q <= held_d;
    line_q <= line_d;
  end

  assign line_valid_o = line_valid_q;
  assign line_data_o  = line_q;

endmodule
