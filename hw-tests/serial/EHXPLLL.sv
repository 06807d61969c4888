// Stands in for the PLL of the ECP5: its output is its input, and it locks after a while.

module EHXPLLL #(
  parameter int CLKI_DIV       = 1,
  parameter int CLKFB_DIV      = 1,
  parameter int CLKOP_DIV      = 8,
  parameter     CLKOP_ENABLE   = "ENABLED",
  parameter int CLKOP_CPHASE   = 0,
  parameter int CLKOP_FPHASE   = 0,
  parameter     FEEDBK_PATH    = "CLKOP",
  parameter     PLLRST_ENA     = "DISABLED",
  parameter     STDBY_ENABLE   = "DISABLED",
  parameter     DPHASE_SOURCE  = "DISABLED"
) (
  input  logic CLKI,
  input  logic CLKFB,
  input  logic PHASESEL1,
  input  logic PHASESEL0,
  input  logic PHASEDIR,
  input  logic PHASESTEP,
  input  logic PHASELOADREG,
  input  logic STDBY,
  input  logic PLLWAKESYNC,
  input  logic RST,
  input  logic ENCLKOP,
  input  logic ENCLKOS,
  input  logic ENCLKOS2,
  input  logic ENCLKOS3,
  output logic CLKOP,
  output logic CLKOS,
  output logic CLKOS2,
  output logic CLKOS3,
  output logic LOCK,
  output logic INTLOCK,
  output logic REFCLK,
  output logic CLKINTFB
);

  logic [4:0] count_q = '0;

  // The PLL's own frequency must be within 400 to 800 MHz: 25 MHz times both factors.
  if (25 * CLKFB_DIV * CLKOP_DIV < 400 * CLKI_DIV || 25 * CLKFB_DIV * CLKOP_DIV > 800 * CLKI_DIV) begin : g_range
    $error("EHXPLLL: the oscillator is out of range");
  end

  assign CLKOP = CLKI;
  assign LOCK  = &count_q;
  assign {CLKOS, CLKOS2, CLKOS3, INTLOCK, REFCLK, CLKINTFB} = '0;

  always_ff @(posedge CLKI) if (!LOCK) count_q <= count_q + 1'b1;

endmodule
