// spa_square: square of a small number from a constant table (no multiplier)

module spa_square #(
  parameter int Bits = 4
) (
  input  logic [Bits-1:0]   value_i,
  output logic [2*Bits-1:0] square_o
);

  // Entries of 16 bits: the index needs no multiplication.
  function automatic logic [16*2**Bits-1:0] squares();
    squares = '0;
    for (int v = 0; v < 2 ** Bits; v++) squares[16*v +: 16] = 16'(v * v);
  endfunction

  localparam logic [16*2**Bits-1:0] Squares = squares();

  assign square_o = Squares[{value_i, 4'd0} +: 2*Bits];

endmodule
