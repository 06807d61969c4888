// spa_uart_rx: serial input, eight data bits, no parity, one stop bit. A byte without a stop bit is dropped.

module spa_uart_rx #(
  parameter int ClocksPerBit = 25  // 4 or more
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       rx_i,     // the line itself, of no clock
  output logic       valid_o,  // pulse
  output logic [7:0] data_o
);

  localparam int CountBits = $clog2(ClocksPerBit);

  // Bit under way: 0 none, 1 start, 2 to 9 data, 10 stop. Each is sampled in its middle.
  logic [2:0]           line_q;
  logic [3:0]           bit_q;
  logic [CountBits-1:0] count_q;
  logic [7:0]           data_q;
  logic                 valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      line_q  <= '1;
      bit_q   <= '0;
      count_q <= '0;
      data_q  <= '0;
      valid_q <= 1'b0;
    end else begin
      line_q  <= {line_q[1:0], rx_i};
      valid_q <= 1'b0;
      if (bit_q == 4'd0) begin
        // An edge, not a level: a line that is held down is one bad byte, not many.
        if (line_q[2:1] == 2'b10) begin
          bit_q   <= 4'd1;
          count_q <= CountBits'(ClocksPerBit / 2 - 1);
        end
      end else if (count_q != '0) begin
        count_q <= count_q - 1'b1;
      end else begin
        count_q <= CountBits'(ClocksPerBit - 1);
        bit_q   <= bit_q + 1'b1;
        if (bit_q == 4'd1) begin
          if (line_q[1]) bit_q <= 4'd0;
        end else if (bit_q == 4'd10) begin
          bit_q   <= 4'd0;
          valid_q <= line_q[1];
        end else begin
          data_q <= {line_q[1], data_q[7:1]};
        end
      end
    end
  end

  assign valid_o = valid_q;
  assign data_o  = data_q;

endmodule
