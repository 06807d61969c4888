// spa_hub_tree: radix-4 tree of DRAM hubs from any number of SPEs down to at most `Outputs` streams.
//
// Level 0 is the SPEs; level n + 1 has a hub for every four streams of level n (the last may have fewer). All levels lie
// behind one another in one vector, so that the generate loops need no special cases. A register at the end of every
// stream of SPEs and between two levels keeps the wires from SPE to hub and from hub to hub apart from the logic.

module spa_hub_tree #(
  parameter int Spes        = 16,
  parameter int MessageBits = 32,
  parameter int Outputs     = 4
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic [Spes-1:0]                msg_valid_i,
  input  logic [Spes*MessageBits-1:0]    msg_data_i,
  output logic [Spes-1:0]                msg_ready_o,

  // Streams beyond those that remain are never valid.
  output logic [Outputs-1:0]             msg_valid_o,
  output logic [Outputs*MessageBits-1:0] msg_data_o,
  input  logic [Outputs-1:0]             msg_ready_i
);

  localparam int Radix = 4;

  // Streams at a level.
  function automatic int level_width(input int level);
    level_width = Spes;
    for (int i = 0; i < level; i++) level_width = (level_width + Radix - 1) / Radix;
  endfunction

  // Streams at all levels below a level: where it starts in the vectors.
  function automatic int level_base(input int level);
    int width;
    width      = Spes;
    level_base = 0;
    for (int i = 0; i < level; i++) begin
      level_base = level_base + width;
      width      = (width + Radix - 1) / Radix;
    end
  endfunction

  // Levels of hubs until at most `Outputs` streams remain: 4096 SPEs and one output need six.
  function automatic int level_count(input int spes);
    level_count = 0;
    for (int i = spes; i > Outputs; i = (i + Radix - 1) / Radix) level_count = level_count + 1;
  endfunction

  localparam int Levels  = level_count(Spes);
  localparam int Streams = level_base(Levels + 1);
  localparam int Root    = level_base(Levels);
  localparam int Remain  = level_width(Levels);

  // Streams of all levels as they leave SPEs and hubs, and as they enter the next level.
  logic [Streams-1:0]             sent_valid, valid;
  logic [Streams*MessageBits-1:0] sent_data, data;
  logic [Streams-1:0]             sent_ready, ready;

  assign sent_valid[Spes-1:0]            = msg_valid_i;
  assign sent_data[Spes*MessageBits-1:0] = msg_data_i;
  assign msg_ready_o                     = sent_ready[Spes-1:0];

  for (genvar i = 0; i < Streams; i++) begin : g_stream
    // What leaves the last hub is in its output register.
    if (i < Spes || i < Root) begin : g_register
      spa_message_register #(
        .MessageBits (MessageBits)
      ) u_register (
        .clk_i,
        .rst_ni,
        .msg_valid_i (sent_valid[i]),
        .msg_data_i  (sent_data[i*MessageBits +: MessageBits]),
        .msg_ready_o (sent_ready[i]),
        .msg_valid_o (valid[i]),
        .msg_data_o  (data[i*MessageBits +: MessageBits]),
        .msg_ready_i (ready[i])
      );
    end else begin : g_wire
      assign valid[i]                          = sent_valid[i];
      assign data[i*MessageBits +: MessageBits] = sent_data[i*MessageBits +: MessageBits];
      assign sent_ready[i]                     = ready[i];
    end
  end

  for (genvar level = 0; level < Levels; level++) begin : g_level
    localparam int Width = level_width(level);
    localparam int From  = level_base(level);
    localparam int To    = level_base(level + 1);

    for (genvar hub = 0; hub < level_width(level + 1); hub++) begin : g_hub
      localparam int First  = From + Radix * hub;
      localparam int Inputs = (Width - Radix * hub < Radix) ? Width - Radix * hub : Radix;

      spa_dram_hub #(
        .Inputs      (Inputs),
        .MessageBits (MessageBits)
      ) u_hub (
        .clk_i,
        .rst_ni,
        .msg_valid_i (valid[First +: Inputs]),
        .msg_data_i  (data[First*MessageBits +: Inputs*MessageBits]),
        .msg_ready_o (ready[First +: Inputs]),
        .msg_valid_o (sent_valid[To+hub]),
        .msg_data_o  (sent_data[(To+hub)*MessageBits +: MessageBits]),
        .msg_ready_i (sent_ready[To+hub])
      );
    end
  end

  // Streams beyond those that remain are never taken.
  logic unused;
  assign unused = ^msg_ready_i;

  for (genvar i = 0; i < Outputs; i++) begin : g_output
    if (i < Remain) begin : g_stream
      assign msg_valid_o[i]                            = valid[Root+i];
      assign msg_data_o[i*MessageBits +: MessageBits]  = data[(Root+i)*MessageBits +: MessageBits];
      assign ready[Root+i]                             = msg_ready_i[i];
    end else begin : g_none
      assign msg_valid_o[i]                           = 1'b0;
      assign msg_data_o[i*MessageBits +: MessageBits] = '0;
    end
  end

endmodule
