// spa_threshold_mem: thresholds of all schedule entries, those of an entry in one word (SPU weights, Eq. 3.4)
//
// One wide RAM with a write enable for each threshold: a device without RAM in LUTs to spare keeps it in two blocks.

module spa_threshold_mem #(
  parameter int PBits     = 8,
  parameter int ThrBits   = 9,
  parameter int Entries   = 64,
  localparam int AddrBits = $clog2(Entries)
) (
  input  logic                     clk_i,

  // Load bus: threshold `wlane_i` of an entry
  input  logic                     we_i,
  input  logic [3:0]               wlane_i,
  input  logic [AddrBits-1:0]      waddr_i,
  input  logic [ThrBits-1:0]       wdata_i,

  // Thresholds of an entry are valid two cycles later
  input  logic [AddrBits-1:0]      raddr_i,
  output logic [PBits*ThrBits-1:0] rdata_o
);

  (* no_rw_check, ram_style = "block", ramstyle = "no_rw_check" *)
  logic [PBits*ThrBits-1:0] mem [0:Entries-1];
  logic [PBits*ThrBits-1:0] read_q;

  always_ff @(posedge clk_i) begin
    for (int k = 0; k < PBits; k++) begin
      if (we_i && wlane_i == 4'(k)) mem[waddr_i][k*ThrBits +: ThrBits] <= wdata_i;
    end
    read_q  <= mem[raddr_i];
    rdata_o <= read_q;
  end

endmodule
