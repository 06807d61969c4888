//! parameters LabelBits=2
//! depth 5
//! mutant {n[0], n[1]} => {n[1], n[0]}
//! mutant n < 2 ? halo_h_i : halo_v_i => n < 2 ? halo_v_i : halo_h_i

  // Each neighbour comes from its own bank: left the given one, right the other half, up and down the other row parity;
  // four different banks. What is beyond the tile comes from the halo of its axis.
  logic [2:0] f_cycle_q = 3'd0;
  always_ff @(posedge clk_i) if (!f_cycle_q[2]) f_cycle_q <= f_cycle_q + 1'b1;

  logic [LabelBits-1:0] f_bank [0:3];
  for (genvar b = 0; b < 4; b++) begin : g_f_bank
    assign f_bank[b] = banks_i[b*LabelBits +: LabelBits];
  end

  logic [LabelBits-1:0] f_left_q, f_right_q, f_up_q, f_down_q;
  always_ff @(posedge clk_i) begin
    f_left_q  <= f_bank[{bank_i[1], bank_i[0]}];
    f_right_q <= f_bank[{!bank_i[1], bank_i[0]}];
    f_up_q    <= f_bank[{bank_i[1], !bank_i[0]}];
    f_down_q  <= f_bank[{!bank_i[1], !bank_i[0]}];
    if (f_cycle_q >= 3'd2) begin
      assert (labels_o[0*LabelBits +: LabelBits] == ($past(halo_i[0]) ? $past(halo_h_i) : $past(f_left_q)));
      assert (labels_o[1*LabelBits +: LabelBits] == ($past(halo_i[1]) ? $past(halo_h_i) : $past(f_right_q)));
      assert (labels_o[2*LabelBits +: LabelBits] == ($past(halo_i[2]) ? $past(halo_v_i) : $past(f_up_q)));
      assert (labels_o[3*LabelBits +: LabelBits] == ($past(halo_i[3]) ? $past(halo_v_i) : $past(f_down_q)));
    end
  end
