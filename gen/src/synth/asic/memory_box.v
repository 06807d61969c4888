(* blackbox *)
module spa_memory #(
  parameter Depth    = 1,
  parameter Width    = 1,
  parameter AddrBits = 1,
  parameter Clocked  = 1
) (
  input                 clk_i,
  input                 we_i,
  input  [Width-1:0]    mask_i,
  input  [AddrBits-1:0] waddr_i,
  input  [Width-1:0]    wdata_i,
  input                 re_i,
  input  [AddrBits-1:0] raddr_i,
  output [Width-1:0]    rdata_o
);
endmodule
