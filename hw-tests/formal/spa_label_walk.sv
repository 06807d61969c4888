//! uses spa_ram_1r1w spa_delay
//! parameters Spus=2 LabelBits=2 S2Capacity=64 TileWidthMax=16 TileHeightMax=8
//! depth 12
//! mutant b < int'(rot_6_q) ? addr_b_6_q : addr_a_6_q => b < int'(rot_6_q) ? addr_a_6_q : addr_b_6_q
//! mutant dir_a_4_q[0] ? wrap_x : dir_a_4_q[1] => dir_a_4_q[0] ? wrap_x : dir_b_4_q[1]
//! mutant group_b = group_a + 1'b1 => group_b = group_a

  // S2Mem: SPU j wants column X = x + 2j of row y. Every SPU finds it in a bank of its own, (X >> 1) mod k, at the word that
  // the same column has in the tile it lies in; the direction says which tile that is. Configuration stands.
  logic [3:0] f_cycle_q = 4'd0;
  always_ff @(posedge clk_i) if (f_cycle_q != 4'd15) f_cycle_q <= f_cycle_q + 1'b1;

  localparam int F = SampleBits;
  (* anyconst *) logic [15:0] f_width, f_height;
  (* anyconst *) logic [23:0] f_wrap;
  (* anyconst *) logic        f_replicate;
  always_comb begin
    assume (cfg_tile_width_i == f_width && cfg_tile_height_i == f_height);
    assume (cfg_s2_wrap_i == f_wrap && cfg_s2_replicate_i == f_replicate);
    // A tile is as wide as whole groups of 2k columns.
    assume (f_width >= 16'd4 && int'(f_width) <= TileWidthMax && f_width[1:0] == 2'd0);
    assume (f_height >= 16'd2 && int'(f_height) <= TileHeightMax);
    // Samples lie at most one tile away, or anywhere in the region of a replicate build.
    assume ($signed(sample_x_o) >= -$signed(F'(f_width)) && $signed(sample_x_o) < 2 * $signed(F'(f_width)) - 2 * Spus);
  end

  for (genvar j = 0; j < Spus; j++) begin : g_f_spu
    logic [F-1:0]      f_x, f_in_tile;
    logic [1:0]        f_dir, f_dir_then;
    logic              f_bank, f_bank_then;
    logic [S2Bits-1:0] f_word, f_word_then;
    assign f_x       = sample_x_o + F'(2 * j);
    assign f_dir     = f_replicate ? 2'b00 : f_x[F-1] ? 2'b01 : f_x >= F'(f_width) ? 2'b10 : 2'b00;
    assign f_in_tile = f_dir[0] ? f_x + F'(f_width) : f_dir[1] ? f_x - F'(f_width) : f_x;
    assign f_bank    = f_x[1];
    // row_3_q + wrap of the row, then two columns a word pair
    logic [1:0] f_dir_y;
    assign f_dir_y = f_replicate ? 2'b00 : sample_y_o[F-1] ? 2'b01 : sample_y_o >= F'(f_height) ? 2'b10 : 2'b00;
    assign f_word  = row_3_q + (f_dir_y[0] ? S2Bits'(f_wrap) : f_dir_y[1] ? S2Bits'(-f_wrap) : '0)
                   + S2Bits'({f_in_tile >> 2, f_in_tile[0]});

    spa_delay #(.Width(1 + S2Bits), .Stages(4)) u_word (
      .clk_i, .data_i({f_bank, f_word}), .data_o({f_bank_then, f_word_then})
    );
    spa_delay #(.Width(2), .Stages(7)) u_dir_then (.clk_i, .data_i(f_dir), .data_o(f_dir_then));

    always_ff @(posedge clk_i) begin
      if (f_cycle_q >= 4'd9) begin
        assert (s2_raddr_o[f_bank_then*S2Bits +: S2Bits] == f_word_then);
        assert (s2_dirx_o[2*j +: 2] == f_dir_then);
      end
    end
  end

  // The switch turns by the bank of SPU 0, two cycles after the addresses.
  logic f_rot;
  spa_delay #(.Width(1), .Stages(6)) u_f_rot (.clk_i, .data_i(sample_x_o[1]), .data_o(f_rot));
  always_ff @(posedge clk_i) if (f_cycle_q >= 4'd9) assert (s2_rot_o == f_rot);
