// spa_delay: delay line of Stages registers

module spa_delay #(
  parameter int Width  = 1,
  parameter int Stages = 1
) (
  input  logic             clk_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);

  if (Stages == 0) begin : g_none
    logic unused_clk;
    assign unused_clk = clk_i;
    assign data_o     = data_i;
  end else if (Stages == 1) begin : g_one
    always_ff @(posedge clk_i) data_o <= data_i;
  end else begin : g_line
    logic [Stages*Width-1:0] line_q;
    always_ff @(posedge clk_i) line_q <= {line_q[(Stages-1)*Width-1:0], data_i};
    assign data_o = line_q[Stages*Width-1 -: Width];
  end

endmodule
