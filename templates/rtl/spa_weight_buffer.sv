// spa_weight_buffer: weights of all SPUs between pass 2 and pass 3
//
// A weight that is a power of two is kept as the number of its bit, which halves the memory: few enough words are then
// a RAM in LUTs, and a device with little block memory has it for the tiles.

module spa_weight_buffer #(
  parameter int Spus      = 2,
  parameter int LabelBits = 6,
  parameter int PBits     = 8,
  parameter bit Linear    = 1'b0,
  localparam int AddrBits = LabelBits + 1 > 5 ? LabelBits + 1 : 5
) (
  input  logic                  clk_i,

  input  logic                  we_i,
  input  logic [AddrBits-1:0]   waddr_i,
  input  logic [Spus*PBits-1:0] wdata_i,

  // Weights of an address are valid two cycles later
  input  logic [AddrBits-1:0]   raddr_i,
  output logic [Spus*PBits-1:0] rdata_o
);

  // A weight waits for 2^LabelBits + Spus + 5 cycles at most: 16 words more than labels are enough, and a RAM in LUTs
  // is made of pieces of 16.
  if (!Linear && AddrBits <= 7) begin : g_codes
    localparam int Words    = LabelBits >= 4 ? 2 ** LabelBits + 16 : 2 ** AddrBits;
    localparam int CodeBits = $clog2(PBits + 1);   // 0: the weight is 0, k + 1: it is 2^k

    logic [Spus*CodeBits-1:0] wcodes, rcodes, rcodes_q;

    always_comb begin
      wcodes = '0;
      for (int j = 0; j < Spus; j++) begin
        for (int k = 0; k < PBits; k++) begin
          if (wdata_i[j*PBits + k]) begin
            wcodes[j*CodeBits +: CodeBits] = wcodes[j*CodeBits +: CodeBits] | CodeBits'(k + 1);
          end
        end
      end
    end

    spa_lutram_1r1w #(.Width(Spus * CodeBits), .Depth(Words)) u_ram (
      .clk_i,
      .we_i, .waddr_i, .wdata_i(wcodes),
      .raddr_i, .rdata_o(rcodes)
    );

    always_ff @(posedge clk_i) begin
      rcodes_q <= rcodes;
      for (int j = 0; j < Spus; j++) begin
        for (int k = 0; k < PBits; k++) begin
          rdata_o[j*PBits + k] <= rcodes_q[j*CodeBits +: CodeBits] == CodeBits'(k + 1);
        end
      end
    end
  end else begin : g_weights
    spa_ram_1r1w #(.Width(Spus * PBits), .Depth(2 ** AddrBits)) u_ram (
      .clk_i,
      .we_i, .waddr_i, .wdata_i,
      .raddr_i, .rdata_o
    );
  end

endmodule
