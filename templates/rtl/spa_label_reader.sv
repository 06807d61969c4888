// spa_label_reader: reads the current label of every random variable and packs them into lines, one byte a label.
//
// Order: SPE, colour, word, bank, the last fastest: byte ((spe * 2 + colour) * words + word) * 4 + bank. Only the words in
// use are read, so an SPE gives exactly w * h bytes. The last line is filled up with zeros. One line is in hand at a
// time: this happens once at the end of a run, so simplicity goes before speed.

module spa_label_reader #(
  parameter int Spes       = 16,
  parameter int RvCapacity = 4096,  // multiple of 8: half of the words of a bank belong to each colour
  parameter int LineBits   = 512
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                start_i,  // pulse, while idle
  input  logic [23:0]         words_i,  // words of a bank in use for each colour, 1 or more
  output logic                idle_o,

  // Label readback port of the array, any fixed latency
  output logic                rd_valid_o,
  output logic [11:0]         rd_spe_o,
  output logic [23:0]         rd_addr_o,
  input  logic                rd_valid_i,
  input  logic [7:0]          rd_label_i,

  // Lines
  output logic                line_valid_o,
  output logic [LineBits-1:0] line_data_o,
  input  logic                line_almost_full_i
);

  localparam int          Bytes     = LineBits / 8;
  localparam int          CountBits = $clog2(Bytes) + 1;
  localparam logic [21:0] HalfDepth = 22'(RvCapacity / 8);

  localparam logic [1:0] StateIdle = 2'd0;
  localparam logic [1:0] StateRead = 2'd1;  // ask for labels until the line is full
  localparam logic [1:0] StateWait = 2'd2;  // wait for the last of them, fill up the last line
  localparam logic [1:0] StatePush = 2'd3;

  logic [1:0]           state_q;
  logic [11:0]          spe_q;
  logic                 colour_q;
  logic [21:0]          word_q;
  logic [23:0]          left_q;     // words left of this colour, this one included
  logic                 last_q;     // left_q is 1
  logic                 spe_last_q; // the last SPE
  logic [1:0]           bank_q;
  logic                 end_q;      // every label has been asked for
  logic [CountBits-1:0] asked_q;    // labels of this line asked for
  logic [CountBits-1:0] filled_q;   // bytes of this line in hand
  logic [LineBits-1:0]  line_q;
  logic                 ask;
  logic                 fill_zero;

  assign ask       = state_q == StateRead;
  assign fill_zero = (state_q == StateWait) && end_q && (filled_q >= asked_q) && !filled_q[CountBits-1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= StateIdle;
      spe_q    <= '0;
      colour_q <= 1'b0;
      word_q   <= '0;
      left_q   <= '0;
      bank_q   <= '0;
      end_q    <= 1'b0;
      asked_q  <= '0;
      filled_q <= '0;
    end else begin
      if (rd_valid_i || fill_zero) filled_q <= filled_q + 1'b1;
      case (state_q)
        StateIdle: begin
          spe_q    <= '0;
          colour_q <= 1'b0;
          word_q   <= '0;
          left_q   <= words_i;
          bank_q   <= '0;
          end_q    <= 1'b0;
          asked_q  <= '0;
          filled_q <= '0;
          last_q     <= words_i == 24'd1;
          spe_last_q <= Spes == 1;
          if (start_i) state_q <= StateRead;
        end
        StateRead: begin
          asked_q <= asked_q + 1'b1;
          bank_q  <= bank_q + 1'b1;
          if (bank_q == 2'd3) begin
            word_q <= word_q + 1'b1;
            left_q <= left_q - 1'b1;
            last_q <= left_q == 24'd2;
            if (last_q) begin
              left_q   <= words_i;
              last_q   <= words_i == 24'd1;
              colour_q <= !colour_q;
              word_q   <= colour_q ? '0 : HalfDepth;
              if (colour_q) begin
                spe_q      <= spe_q + 1'b1;
                spe_last_q <= spe_q + 12'd2 == 12'(Spes);
                end_q      <= spe_last_q;
              end
            end
          end
          if ((asked_q == CountBits'(Bytes - 1))
            || ((bank_q == 2'd3) && last_q && colour_q && spe_last_q)) begin
            state_q <= StateWait;
          end
        end
        StateWait: if (filled_q[CountBits-1]) state_q <= StatePush;
        default: begin
          if (!line_almost_full_i) begin
            asked_q  <= '0;
            filled_q <= '0;
            state_q  <= end_q ? StateIdle : StateRead;
          end
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (rd_valid_i || fill_zero) line_q <= {fill_zero ? 8'd0 : rd_label_i, line_q[LineBits-1:8]};
  end

  // Registered on its way to the array.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) rd_valid_o <= 1'b0;
    else         rd_valid_o <= ask;
  end

  always_ff @(posedge clk_i) begin
    rd_spe_o  <= spe_q;
    rd_addr_o <= {word_q, bank_q};
  end

  assign line_valid_o = (state_q == StatePush) && !line_almost_full_i;
  assign line_data_o  = line_q;
  assign idle_o       = state_q == StateIdle;

endmodule
