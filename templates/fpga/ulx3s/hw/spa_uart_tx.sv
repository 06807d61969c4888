// spa_uart_tx: serial output, eight data bits, no parity, one stop bit.

module spa_uart_tx #(
  parameter int ClocksPerBit = 25  // 4 or more
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       valid_i,
  input  logic [7:0] data_i,
  output logic       ready_o,
  output logic       tx_o
);

  localparam int CountBits = $clog2(ClocksPerBit);

  // Bits that are still to be sent, the lowest first; ones follow, so the line rests high.
  logic [8:0]           shift_q;
  logic [3:0]           left_q;
  logic [CountBits-1:0] count_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      shift_q <= '1;
      left_q  <= '0;
      count_q <= '0;
    end else if (left_q == '0) begin
      count_q <= CountBits'(ClocksPerBit - 1);
      if (valid_i) begin
        shift_q <= {data_i, 1'b0};
        left_q  <= 4'd10;
      end
    end else if (count_q != '0) begin
      count_q <= count_q - 1'b1;
    end else begin
      count_q <= CountBits'(ClocksPerBit - 1);
      shift_q <= {1'b1, shift_q[8:1]};
      left_q  <= left_q - 1'b1;
    end
  end

  assign ready_o = left_q == '0;
  assign tx_o    = shift_q[0];

endmodule
