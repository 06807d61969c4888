// spa_message_register: one message on its way over the chip; neither data nor ready pass through combinationally
//
// A message every second cycle at most: a log FIFO gives one every third, a hub takes one in four from each input.

module spa_message_register #(
  parameter int MessageBits = 32
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   msg_valid_i,
  input  logic [MessageBits-1:0] msg_data_i,
  output logic                   msg_ready_o,

  output logic                   msg_valid_o,
  output logic [MessageBits-1:0] msg_data_o,
  input  logic                   msg_ready_i
);

  assign msg_ready_o = !msg_valid_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)          msg_valid_o <= 1'b0;
    else if (msg_valid_o) msg_valid_o <= !msg_ready_i;
    else                  msg_valid_o <= msg_valid_i;
  end

  always_ff @(posedge clk_i) if (!msg_valid_o) msg_data_o <= msg_data_i;

endmodule
