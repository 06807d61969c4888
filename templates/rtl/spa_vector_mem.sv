// spa_vector_mem: label to label vector for the pair term, one copy for each of the four neighbours

module spa_vector_mem #(
  parameter int LabelBits = 6,
  localparam int VxBits   = LabelBits,
  localparam int VyBits   = (LabelBits + 1) / 2,
  localparam int VecBits  = VxBits + VyBits
) (
  input  logic                   clk_i,

  // Load bus
  input  logic                   we_i,
  input  logic [LabelBits-1:0]   waddr_i,
  input  logic [VecBits-1:0]     wdata_i,

  // Read, two cycles
  input  logic [4*LabelBits-1:0] labels_i,
  output logic [4*VecBits-1:0]   vectors_o    // {vy, vx}
);

  for (genvar n = 0; n < 4; n++) begin : g_neighbour
    if (LabelBits <= 6) begin : g_lutram
      logic [VecBits-1:0] rdata, read_q;
      spa_lutram_1r1w #(.Width(VecBits), .Depth(2 ** LabelBits)) u_ram (
        .clk_i,
        .we_i, .waddr_i, .wdata_i,
        .raddr_i(labels_i[n*LabelBits +: LabelBits]), .rdata_o(rdata)
      );
      always_ff @(posedge clk_i) begin
        read_q <= rdata;
        vectors_o[n*VecBits +: VecBits] <= read_q;
      end
    end else begin : g_block
      spa_ram_1r1w #(.Width(VecBits), .Depth(2 ** LabelBits)) u_ram (
        .clk_i,
        .we_i, .waddr_i, .wdata_i,
        .raddr_i(labels_i[n*LabelBits +: LabelBits]), .rdata_o(vectors_o[n*VecBits +: VecBits])
      );
    end
  end

endmodule
