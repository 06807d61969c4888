// Yosys techmap for ECP5: carry chains of `alu_map.v` without pins where nothing comes in or goes out
//
// To be run after synth_ecp5, with `chtype -set CCU2C t:$__CCU2C` behind it. A pin with an x is a pin without a net to
// nextpnr; one that is missing it does not expect.

(* techmap_celltype = "CCU2C" *)
module spa_ccu2c_end (CIN, A0, B0, C0, D0, A1, B1, C1, D1, S0, S1, COUT);
  parameter [15:0] INIT0 = 16'd0;
  parameter [15:0] INIT1 = 16'd0;
  parameter INJECT1_0 = "NO";
  parameter INJECT1_1 = "NO";

  input  CIN, A0, B0, C0, D0, A1, B1, C1, D1;
  output S0, S1, COUT;

  localparam FIRST = INIT0[15:8] == 8'd0;
  localparam LAST  = INIT1[7:4] == 4'b0101;
  wire _TECHMAP_FAIL_ = !FIRST && !LAST;

  wire none;
  assign none = 1'bx;
  generate
    if (FIRST) begin
      \$__CCU2C #(.INIT0(INIT0), .INIT1(INIT1), .INJECT1_0(INJECT1_0), .INJECT1_1(INJECT1_1)) _TECHMAP_REPLACE_ (
        .CIN(1'bx), .A0(A0), .B0(B0), .C0(C0), .D0(D0), .A1(A1), .B1(B1), .C1(C1), .D1(D1),
        .S0(S0), .S1(S1), .COUT(COUT)
      );
    end else begin
      \$__CCU2C #(.INIT0(INIT0), .INIT1(INIT1), .INJECT1_0(INJECT1_0), .INJECT1_1(INJECT1_1)) _TECHMAP_REPLACE_ (
        .CIN(CIN), .A0(A0), .B0(B0), .C0(C0), .D0(D0), .A1(A1), .B1(B1), .C1(C1), .D1(D1),
        .S0(S0), .S1(S1), .COUT(none)
      );
    end
  endgenerate
endmodule
