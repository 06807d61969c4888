// Yosys techmap for ECP5: additions, subtractions and comparisons as carry chains (CCU2C) that nextpnr need not lengthen
//
// nextpnr puts a cell of its own before a chain whose carry-in is a net, even a constant, and another one behind a
// chain whose carry-out is, even one that nothing reads: four places a chain, which synth_ecp5's own map always pays.
// Here the first place of a chain makes the carry, the last cell has no carry-out, and the carry of a bit is worked
// out from its sum. `ends_map.v` takes the two pins away after the mapping of tables, which connects all pins.

(* techmap_celltype = "$alu" *)
module spa_alu (A, B, CI, BI, X, Y, CO);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH  = 1;
  parameter B_WIDTH  = 1;
  parameter Y_WIDTH  = 1;
  parameter _TECHMAP_CONSTMSK_CI_ = 0;
  parameter _TECHMAP_CONSTVAL_CI_ = 0;
  parameter _TECHMAP_CONSTMSK_BI_ = 0;
  parameter _TECHMAP_CONSTVAL_BI_ = 0;

  (* force_downto *)
  input  [A_WIDTH-1:0] A;
  (* force_downto *)
  input  [B_WIDTH-1:0] B;
  input                CI, BI;
  (* force_downto *)
  output [Y_WIDTH-1:0] X, Y, CO;

  // Tables do for narrow ones.
  wire _TECHMAP_FAIL_ = Y_WIDTH <= 4;

  (* force_downto *)
  wire [Y_WIDTH-1:0] a, b, bi;
  \$pos #(.A_SIGNED(A_SIGNED), .A_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)) a_conv (.A(A), .Y(a));
  \$pos #(.A_SIGNED(B_SIGNED), .A_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)) b_conv (.A(B), .Y(b));
  assign bi = BI ? ~b : b;

  // With constant CI and BI the first place makes the carry of bit 0, else it hands CI on.
  localparam FIXED  = _TECHMAP_CONSTMSK_CI_ && _TECHMAP_CONSTMSK_BI_;
  localparam PLACES = FIXED ? Y_WIDTH : Y_WIDTH + 1;
  localparam CELLS  = (PLACES + 1) / 2;

  // [15:8] is the table with D = 1: sum without carry; [3:0] the carry by {B, A} where that is 0.
  localparam [15:0] SUM   = 16'b10010110_1010_1010;
  localparam [15:0] LAST  = 16'b10010110_0101_1010;   // [7:4], which is not used, marks the last cell
  localparam [15:0] FIRST = !FIXED ? 16'b1010
    : _TECHMAP_CONSTVAL_CI_ ? (_TECHMAP_CONSTVAL_BI_ ? 16'b1011 : 16'b1110)
                            : (_TECHMAP_CONSTVAL_BI_ ? 16'b0010 : 16'b1000);

  (* force_downto *)
  wire [2*CELLS-1:0] pa = FIXED ? a : {a, CI};
  (* force_downto *)
  wire [2*CELLS-1:0] pb = FIXED ? b : {b, 1'b0};
  (* force_downto *)
  wire [2*CELLS-1:0] sum;
  wire [CELLS-1:1]   carry;

  CCU2C #(.INIT0(FIRST), .INIT1(SUM), .INJECT1_0("NO"), .INJECT1_1("NO")) first (
    .A0(pa[0]), .B0(pb[0]), .C0(1'b0), .D0(1'b1),
    .A1(pa[1]), .B1(pb[1]), .C1(BI), .D1(1'b1),
    .S1(sum[1]), .COUT(carry[1])
  );

  genvar i;
  generate
    for (i = 1; i < CELLS - 1; i = i + 1) begin : middle
      CCU2C #(.INIT0(SUM), .INIT1(SUM), .INJECT1_0("NO"), .INJECT1_1("NO")) pair (
        .CIN(carry[i]),
        .A0(pa[2*i]), .B0(pb[2*i]), .C0(BI), .D0(1'b1),
        .A1(pa[2*i+1]), .B1(pb[2*i+1]), .C1(BI), .D1(1'b1),
        .S0(sum[2*i]), .S1(sum[2*i+1]), .COUT(carry[i+1])
      );
    end
  endgenerate

  CCU2C #(.INIT0(SUM), .INIT1(LAST), .INJECT1_0("NO"), .INJECT1_1("NO")) last (
    .CIN(carry[CELLS-1]),
    .A0(pa[2*CELLS-2]), .B0(pb[2*CELLS-2]), .C0(BI), .D0(1'b1),
    .A1(pa[2*CELLS-1]), .B1(pb[2*CELLS-1]), .C1(BI), .D1(1'b1),
    .S0(sum[2*CELLS-2]), .S1(sum[2*CELLS-1])
  );

  assign X = a ^ bi;
  generate
    if (FIXED) assign Y = {sum[Y_WIDTH-1:1], a[0] ^ bi[0] ^ CI};
    else       assign Y = sum[Y_WIDTH:1];
  endgenerate
  assign CO = (a & bi) | (X & ~Y);   // sum = X ^ carry in
endmodule
