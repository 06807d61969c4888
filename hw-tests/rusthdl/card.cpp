// C interface of card.sv for the Rust test: pins in, pins out, one cycle a call.

#include <cstdint>
#include <cstring>

#include "Vcard.h"
#include "verilated.h"

struct Pins {
  uint64_t address;
  uint64_t data;
  uint8_t line[16];
  uint16_t line_address;
  uint8_t awvalid, wvalid, arvalid, host_write, rst_n, unused;
};

struct Answer {
  uint64_t data;
  uint8_t line[16];
  uint8_t awready, wready, bvalid, arready, rvalid, unused[3];
};

struct Card {
  VerilatedContext context;
  Vcard top{&context};
};

#define API extern "C" __attribute__((visibility("default")))

API Card *card_create() { return new Card; }
API void card_destroy(Card *card) { delete card; }
API void card_clock(Card *card, const Pins *pins, Answer *answer) {
  Vcard &top = card->top;
  top.rst_ni = pins->rst_n;
  top.s_axil_awvalid_i = pins->awvalid;
  top.s_axil_awaddr_i = pins->address;
  top.s_axil_wvalid_i = pins->wvalid;
  top.s_axil_wdata_i = pins->data;
  top.s_axil_arvalid_i = pins->arvalid;
  top.s_axil_araddr_i = pins->address;
  top.host_write_i = pins->host_write;
  top.host_address_i = pins->line_address;
  std::memcpy(&top.host_data_i, pins->line, 16);
  top.clk_i = 0;
  top.eval();
  answer->awready = top.s_axil_awready_o;
  answer->wready = top.s_axil_wready_o;
  answer->bvalid = top.s_axil_bvalid_o;
  answer->arready = top.s_axil_arready_o;
  answer->rvalid = top.s_axil_rvalid_o;
  answer->data = top.s_axil_rdata_o;
  std::memcpy(answer->line, &top.host_data_o, 16);
  top.clk_i = 1;
  top.eval();
}
