//! uses spa_delay
//! parameters Spus=2 RvCapacity=128 S2Capacity=128 TileWidthMax=16 TileHeightMax=16
//! depth 10
//! mutant a_minus_q    <= s1 ^ ~(x[0] ^ y_q[0]) => a_minus_q    <= s1
//! mutant a_below_q    <= y_q[0] ? mid + w4 : mid => a_below_q    <= mid + w4
//! mutant BankBits'(x[1:0] == 2'd3) => BankBits'(x[1:0] == 2'd2)

  // The four neighbours of (x, y) lie in four different banks, and each bank is read at the word of its neighbour: bank
  // {((x+y)>>1)&1, y&1}, word colour*Half + (y>>1)*(w/4) + (x>>2). Neighbours beyond the tile come from the halos.
  logic [3:0] f_cycle_q = 4'd0;
  always_ff @(posedge clk_i) if (f_cycle_q != 4'd15) f_cycle_q <= f_cycle_q + 1'b1;

  (* anyconst *) logic [15:0] f_width, f_height;
  always_comb begin
    assume (cfg_tile_width_i == f_width && cfg_tile_height_i == f_height);
    assume (f_width[1:0] == 2'd0 && f_width >= 16'd4 && int'(f_width) <= TileWidthMax);
    assume (!f_height[0] && f_height >= 16'd2 && int'(f_height) <= TileHeightMax);
    assume (32'(f_width) * 32'(f_height) <= RvCapacity);
    assume (!rd_valid_i);
    // What the walk keeps: a position in the tile and the base of its row.
    assume (16'(y_q) < f_height && 16'(group_x_q) < f_width && group_x_q[1:0] == 2'd0 && top_q == (y_q == '0));
    assume (word_q == BankBits'((y_q >> 1) * (f_width >> 2)));
  end

  // Position of the lane, as integers with room for -1.
  localparam int F = 9;
  logic [F-1:0] f_x, f_y;
  assign f_x = F'(x);
  assign f_y = F'(y_q);

  logic [3:0] f_seen, f_seen_then;
  logic [1:0] f_banks [0:3];
  for (genvar n = 0; n < 4; n++) begin : g_f_neighbour
    // left, right, up, down
    logic [F-1:0]        nx, ny, sum;
    logic                inside, inside_then;
    logic [1:0]          bank, bank_then;
    logic [BankBits-1:0] word, word_then;
    assign nx     = n == 0 ? f_x - 1'b1 : n == 1 ? f_x + 1'b1 : f_x;
    assign ny     = n == 2 ? f_y - 1'b1 : n == 3 ? f_y + 1'b1 : f_y;
    assign sum    = nx + ny;
    assign inside = nx < F'(f_width) && ny < F'(f_height);
    assign bank   = {sum[1], ny[0]};
    assign word   = (sum[0] ? BankBits'(Half) : BankBits'(0)) + BankBits'((ny >> 1) * (f_width >> 2)) + BankBits'(nx >> 2);
    assign f_banks[n] = bank_then;
    spa_delay #(.Width(3 + BankBits), .Stages(2)) u_then (
      .clk_i, .data_i({inside, bank, word}), .data_o({inside_then, bank_then, word_then})
    );
    logic f_halo;
    spa_delay #(.Width(1), .Stages(5)) u_halo_then (.clk_i, .data_i(!inside), .data_o(f_halo));
    always_ff @(posedge clk_i) begin
      if (f_cycle_q >= 4'd7) begin
        if (inside_then) assert (lab_raddr_o[bank_then*BankBits +: BankBits] == word_then);
        assert (sw_halo_o[n] == f_halo);
      end
    end
  end

  logic [1:0] f_left_bank;
  spa_delay #(.Width(2), .Stages(2)) u_f_left (.clk_i, .data_i(f_banks[0]), .data_o(f_left_bank));
  logic [YBits-1:0] f_y_then;
  logic [XBits-1:0] f_x_then;
  logic             f_left, f_up;
  spa_delay #(.Width(YBits + XBits + 2), .Stages(3)) u_f_halo (
    .clk_i, .data_i({y_q, x, x == '0, y_q == '0}), .data_o({f_y_then, f_x_then, f_left, f_up})
  );
  always_ff @(posedge clk_i) begin
    if (f_cycle_q >= 4'd7) begin
      assert (f_banks[0] != f_banks[1] && f_banks[0] != f_banks[2] && f_banks[0] != f_banks[3]);
      assert (f_banks[1] != f_banks[2] && f_banks[1] != f_banks[3] && f_banks[2] != f_banks[3]);
      assert (sw_bank_o == f_left_bank);
      assert (halo_h_raddr_o == {!f_left, f_y_then} && halo_v_raddr_o == {!f_up, f_x_then});
    end
  end
