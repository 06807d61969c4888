// spa_ulx3s: the accelerator on a ULX3S board, reached over the serial port of its USB connector US1.
//
// Everything runs on one clock, made by a PLL from the board's 25 MHz.

module spa_ulx3s #(
  parameter int ClockMhz    = {{ clock_mhz }},       // a multiple of 25, up to 125
  parameter int Baud        = {{ baud }},  // the serial chip takes 3,000,000 and whole fractions of it
  parameter int ResetBits   = 20,       // cycles of reset after its button, as a power of two
  parameter int TimeoutBits = 22        // cycles after which half a request is forgotten, as a power of two
) (
  input  logic       clk_25mhz,
  input  logic [0:0] btn,         // 0: reset; low while pressed
  input  logic       ftdi_txd,    // from the serial chip
  output logic       ftdi_rxd,    // to the serial chip
  output logic [7:0] led,
  output logic       wifi_gpio0   // low would restart the board's other processor, and with it the board
);

  localparam int LineBits     = {{ line_bits }};
  localparam int MemoryBytes  = {{ memory_bytes }};
  localparam int ClockHz      = ClockMhz * 1_000_000;
  localparam int ClocksPerBit = (ClockHz + Baud / 2) / Baud;

  // The PLL's own frequency is clock times divider: 600 MHz, or 625 MHz, within its 400 to 800 MHz.
  localparam int Multiplier = ClockMhz / 25;
  localparam int Divider    = (600 + ClockMhz - 25) / ClockMhz;

  logic       clk;
  logic       locked;
  logic [5:0] unused_pll;

  // Charge pump and filter as Project Trellis' ecppll sets them.
  (* ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1", MFG_GMCREF_SEL = "2" *)
  EHXPLLL #(
    .CLKI_DIV      (1),
    .CLKFB_DIV     (Multiplier),
    .CLKOP_DIV     (Divider),
    .CLKOP_ENABLE  ("ENABLED"),
    .CLKOP_CPHASE  (Divider / 2),
    .CLKOP_FPHASE  (0),
    .FEEDBK_PATH   ("CLKOP"),
    .PLLRST_ENA    ("DISABLED"),
    .STDBY_ENABLE  ("DISABLED"),
    .DPHASE_SOURCE ("DISABLED")
  ) u_pll (
    .CLKI         (clk_25mhz),
    .CLKFB        (clk),
    .PHASESEL1    (1'b0),
    .PHASESEL0    (1'b0),
    .PHASEDIR     (1'b0),
    .PHASESTEP    (1'b0),
    .PHASELOADREG (1'b0),
    .STDBY        (1'b0),
    .PLLWAKESYNC  (1'b0),
    .RST          (1'b0),
    .ENCLKOP      (1'b0),
    .ENCLKOS      (1'b0),
    .ENCLKOS2     (1'b0),
    .ENCLKOS3     (1'b0),
    .CLKOP        (clk),
    .CLKOS        (unused_pll[0]),
    .CLKOS2       (unused_pll[1]),
    .CLKOS3       (unused_pll[2]),
    .LOCK         (locked),
    .INTLOCK      (unused_pll[3]),
    .REFCLK       (unused_pll[4]),
    .CLKINTFB     (unused_pll[5])
  );

  // Reset until the PLL has locked and while the button is pressed, longer than a bouncing contact.
  logic [1:0]           release_q;
  logic [ResetBits-1:0] reset_q;
  logic                 rst_n;

  always_ff @(posedge clk) begin
    release_q <= {release_q[0], locked && btn[0]};
    rst_n     <= &reset_q;
    if (!release_q[1]) reset_q <= '0;
    else if (!(&reset_q)) reset_q <= reset_q + 1'b1;
  end

  logic traffic;

  spa_serial_card #(
    .LineBits     (LineBits),
    .MemoryBytes  (MemoryBytes),
    .ClockHz      (ClockHz),
    .ClocksPerBit (ClocksPerBit),
    .TimeoutBits  (TimeoutBits)
  ) u_card (
    .clk_i     (clk),
    .rst_ni    (rst_n),
    .rx_i      (ftdi_txd),
    .tx_o      (ftdi_rxd),
    .traffic_o (traffic)
  );

  // LED 0: ready; 1 and 2: bytes from and to the host; 3: memory. Each event lights its LED for a moment.
  logic [21:0] light_q [0:2];
  logic [2:0]  event_q;

  always_ff @(posedge clk) begin
    event_q <= {traffic, !ftdi_rxd, !ftdi_txd};
    for (int i = 0; i < 3; i++) begin
      if (!rst_n) light_q[i] <= '0;
      else if (event_q[i]) light_q[i] <= '1;
      else if (light_q[i] != '0) light_q[i] <= light_q[i] - 1'b1;
    end
  end

  assign led        = {4'b0000, light_q[2] != '0, light_q[1] != '0, light_q[0] != '0, rst_n};
  assign wifi_gpio0 = 1'b1;

endmodule
