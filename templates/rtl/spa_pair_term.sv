// spa_pair_term: V of one neighbour, capped (SPU, Eq. 3.1); five cycles

module spa_pair_term #(
  parameter int LabelBits = 6,
  parameter bit PairTable = 1'b0,
  localparam int VxBits   = LabelBits,
  localparam int VyBits   = (LabelBits + 1) / 2
) (
  input  logic              clk_i,

  input  logic [1:0]        cfg_form_i,    // 0 abs, 1 squared, 2 Potts, 3 table
  input  logic [7:0]        cfg_cap_i,

  input  logic [VxBits-1:0] own_vx_i,
  input  logic [VyBits-1:0] own_vy_i,
  input  logic              valid_i,       // the neighbour exists
  input  logic [VxBits-1:0] vx_i,
  input  logic [VyBits-1:0] vy_i,
  input  logic [7:0]        table_i,       // two cycles after the vectors

  output logic [7:0]        v_o
);

  logic squared, potts;
  assign squared = cfg_form_i == 2'd1;
  assign potts   = cfg_form_i == 2'd2;

  // Cycles 1 and 2: distances
  logic [VxBits:0]        dx_q;
  logic [VyBits:0]        dy_q;
  logic [VxBits-1:0]      ax_q;
  logic [VyBits-1:0]      ay_q;
  logic                   full_x_q, full_y_q;
  logic [3:0]             valid_q;

  always_ff @(posedge clk_i) begin
    valid_q  <= {valid_q[2:0], valid_i};
    dx_q     <= {1'b0, own_vx_i} - {1'b0, vx_i};
    dy_q     <= {1'b0, own_vy_i} - {1'b0, vy_i};
    ax_q     <= dx_q[VxBits] ? VxBits'(-dx_q) : VxBits'(dx_q);
    ay_q     <= dy_q[VyBits] ? VyBits'(-dy_q) : VyBits'(dy_q);
    // Potts: any distance is beyond every cap.
    full_x_q <= potts && dx_q != '0;
    full_y_q <= potts && dy_q != '0;
  end

  // Cycle 3: form. Caps are at most 255, so a distance of 16 or more squared is 255.
  logic [7:0] fx_q, fy_q, square_x, square_y;
  logic       far_x, far_y;

  spa_square #(.Bits(4)) u_square_x (.value_i(4'(ax_q)), .square_o(square_x));
  spa_square #(.Bits(4)) u_square_y (.value_i(4'(ay_q)), .square_o(square_y));
  assign far_x = full_x_q || (squared && (8'(ax_q) >> 4) != '0);
  assign far_y = full_y_q;

  always_ff @(posedge clk_i) begin
    fx_q <= far_x ? 8'hFF : squared ? square_x : 8'(ax_q);
    fy_q <= far_y ? 8'hFF : squared ? square_y : 8'(ay_q);
  end

  // Cycle 4: sum, or the table
  logic [8:0] f_q;
  if (PairTable) begin : g_table
    logic [7:0] table_q;
    always_ff @(posedge clk_i) begin
      table_q <= table_i;
      f_q     <= cfg_form_i == 2'd3 ? {1'b0, table_q} : {1'b0, fx_q} + {1'b0, fy_q};
    end
  end else begin : g_no_table
    logic unused_table;
    assign unused_table = ^table_i;
    always_ff @(posedge clk_i) f_q <= {1'b0, fx_q} + {1'b0, fy_q};
  end

  // Cycle 5: cap
  always_ff @(posedge clk_i) begin
    if (!valid_q[3])                  v_o <= '0;
    else if (f_q > {1'b0, cfg_cap_i}) v_o <= cfg_cap_i;
    else                              v_o <= f_q[7:0];
  end

endmodule
