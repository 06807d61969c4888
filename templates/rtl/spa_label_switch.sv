// spa_label_switch: the four neighbours of a RV from the banks or the halos (label switches)

module spa_label_switch #(
  parameter int LabelBits = 6
) (
  input  logic                   clk_i,

  // Banks {half, row parity}; `bank_i`: the bank of the left neighbour
  input  logic [4*LabelBits-1:0] banks_i,
  input  logic [1:0]             bank_i,

  // One cycle later: neighbours beyond the tile {down, up, right, left}
  input  logic [3:0]             halo_i,
  input  logic [LabelBits-1:0]   halo_h_i,
  input  logic [LabelBits-1:0]   halo_v_i,

  // Labels {down, up, right, left}, two cycles after the banks
  output logic [4*LabelBits-1:0] labels_o
);

  for (genvar n = 0; n < 4; n++) begin : g_neighbour
    // Left and right lie in the row of the RV, up and down in the other parity; left and up in one half.
    localparam logic [1:0] Flip = {n[0], n[1]};
    logic [1:0]           bank;
    logic [LabelBits-1:0] label_q;
    assign bank = bank_i ^ Flip;

    always_ff @(posedge clk_i) begin
      label_q <= banks_i[int'(bank)*LabelBits +: LabelBits];
      labels_o[n*LabelBits +: LabelBits] <= !halo_i[n] ? label_q : n < 2 ? halo_h_i : halo_v_i;
    end
  end

endmodule
