// spa_s2_switch: singleton 2 from the own tile or one of eight neighbours, for each SPU (S2Mem switches)
//
// All SPEs read the same local addresses and turn the same way, so a diagonal neighbour is reached in two steps: each
// SPE picks left, own or right, then upper, own or lower from what its neighbours have picked. Two 3:1 multiplexers
// and four links a SPE instead of a 9:1 multiplexer and eight links.

module spa_s2_switch #(
  parameter int Spus          = 2,
  parameter int SingletonBits = 8,
  parameter bit S2Links       = 1'b1,
  localparam int RotBits      = Spus > 1 ? $clog2(Spus) : 1,
  localparam int LinkBits     = Spus * SingletonBits
) (
  input  logic                clk_i,

  // Banks of the own tile, bank of SPU 0
  input  logic [LinkBits-1:0] banks_i,
  input  logic [RotBits-1:0]  rot_i,

  // Links: to left and right after one cycle, to up and down after two
  input  logic [LinkBits-1:0] left_i,
  input  logic [LinkBits-1:0] right_i,
  input  logic [LinkBits-1:0] up_i,
  input  logic [LinkBits-1:0] down_i,
  output logic [LinkBits-1:0] horizontal_o,
  output logic [LinkBits-1:0] vertical_o,

  // Directions: {right, left} of each SPU with the horizontal links, {down, up} with the vertical ones
  input  logic [2*Spus-1:0]   dirx_i,
  input  logic [1:0]          diry_i,

  // Singleton 2 given by the label, in the cycle of `diry_i`
  input  logic                use_value_i,
  input  logic [SingletonBits-1:0] value_i,

  // Samples of the SPUs, three cycles after the banks
  output logic [LinkBits-1:0] s2_o
);

  for (genvar j = 0; j < Spus; j++) begin : g_spu
    // Bank (rot + j) mod Spus
    logic [RotBits-1:0]       bank;
    logic [SingletonBits-1:0] own_q, column_q, s2_q;
    if (Spus > 1) begin : g_rot
      assign bank = rot_i + RotBits'(j);
    end else begin : g_no_rot
      logic unused_rot;
      assign unused_rot = ^rot_i;
      assign bank       = '0;
    end

    always_ff @(posedge clk_i) own_q <= banks_i[int'(bank)*SingletonBits +: SingletonBits];

    if (S2Links) begin : g_links
      always_ff @(posedge clk_i) begin
        if (dirx_i[2*j])        column_q <= left_i[j*SingletonBits +: SingletonBits];
        else if (dirx_i[2*j+1]) column_q <= right_i[j*SingletonBits +: SingletonBits];
        else                    column_q <= own_q;

        if (use_value_i)    s2_q <= value_i;
        else if (diry_i[0]) s2_q <= up_i[j*SingletonBits +: SingletonBits];
        else if (diry_i[1]) s2_q <= down_i[j*SingletonBits +: SingletonBits];
        else                s2_q <= column_q;
      end
    end else begin : g_local
      always_ff @(posedge clk_i) begin
        column_q <= own_q;
        s2_q     <= use_value_i ? value_i : column_q;
      end
    end

    assign horizontal_o[j*SingletonBits +: SingletonBits] = own_q;
    assign vertical_o[j*SingletonBits +: SingletonBits]   = column_q;
    assign s2_o[j*SingletonBits +: SingletonBits]         = s2_q;
  end

  if (!S2Links) begin : g_no_links
    logic unused_links;
    assign unused_links = ^{left_i, right_i, up_i, down_i, dirx_i, diry_i};
  end

endmodule
