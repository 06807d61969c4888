// card.hpp: the accelerator with its memory, and a host that drives its registers.
#pragma once

#include <memory>

#include "Vspa_top.h"
#include "common.hpp"
#include "memory.hpp"
#include "spa_regs.h"
#include "verilated.h"


class Card {
 public:
  Memory memory;
  Card() : dut_(new Vspa_top) {
    dut_->rst_ni = 0;
    for (int i = 0; i < 8; i++) tick();
    dut_->rst_ni = 1;
    for (int i = 0; i < 8; i++) tick();
  }
  ~Card() { dut_->final(); }

  void tick() {
    memory.drive(dut_.get());
    dut_->clk_i = 0;
    dut_->eval();
    aw_ = dut_->s_axil_awvalid_i && dut_->s_axil_awready_o;
    w_ = dut_->s_axil_wvalid_i && dut_->s_axil_wready_o;
    b_ = dut_->s_axil_bvalid_o && dut_->s_axil_bready_i;
    ar_ = dut_->s_axil_arvalid_i && dut_->s_axil_arready_o;
    r_ = dut_->s_axil_rvalid_o && dut_->s_axil_rready_i;
    data_ = dut_->s_axil_rdata_o;
    if (dut_->rst_ni) memory.sample(dut_.get());
    dut_->clk_i = 1;
    dut_->eval();
    cycle()++;
  }

  void write(uint32_t address, uint64_t data, uint8_t strobes = 0xFF) {
    int aw_delay = int(pick(0, 3)), w_delay = int(pick(0, 3));
    bool aw = true, w = true, b = true;
    dut_->s_axil_awaddr_i = uint16_t(address);
    dut_->s_axil_wdata_i = data;
    dut_->s_axil_wstrb_i = strobes;
    for (int i = 0; b; i++) {
      CHECK(i < 100, "write to %x is not answered", address);
      dut_->s_axil_awvalid_i = aw && aw_delay-- <= 0;
      dut_->s_axil_wvalid_i = w && w_delay-- <= 0;
      dut_->s_axil_bready_i = chance(50);
      tick();
      if (aw_) aw = false;
      if (w_) w = false;
      if (b_) b = false;
    }
    CHECK(!aw && !w, "answered before the write was taken");
    dut_->s_axil_awvalid_i = dut_->s_axil_wvalid_i = dut_->s_axil_bready_i = 0;
  }

  uint64_t read(uint32_t address) {
    bool ar = true;
    dut_->s_axil_araddr_i = uint16_t(address);
    for (int i = 0;; i++) {
      CHECK(i < 100, "read of %x is not answered", address);
      dut_->s_axil_arvalid_i = ar;
      dut_->s_axil_rready_i = chance(50);
      tick();
      if (ar_) ar = false;
      if (r_) break;
    }
    dut_->s_axil_arvalid_i = dut_->s_axil_rready_i = 0;
    return data_;
  }

  void wait(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; i++) tick();
  }

  // Ring of the next run.
  void ring(uint64_t base, uint32_t lines) {
    ring_base_ = base;
    ring_lines_ = lines;
    memory.allow(base, uint64_t(lines) * kLineBytes, true);
    write(SPA_RING_BASE_OFFSET, base);
    write(SPA_RING_LINES_OFFSET, lines);
  }

  void start(uint64_t flags) {
    read_index_ = 0;
    messages.clear();
    lines.clear();
    write(SPA_CONTROL_OFFSET, flags | SPA_CONTROL_START_MASK);
  }

  // Consumes at most `most` lines of the ring.
  void consume(uint64_t most) {
    const uint32_t written = uint32_t(read(SPA_RING_WRITE_INDEX_OFFSET));
    CHECK(written - read_index_ <= ring_lines_, "write index ran away");
    while (read_index_ != written && most-- > 0) {
      const uint64_t address = ring_base_ + (read_index_ % ring_lines_) * kLineBytes;
      CHECK(memory.unread(address), "line %u is not in memory", read_index_);
      for (int i = 0; i < kMessagesPerLine; i++) {
        uint64_t message = 0;
        for (int b = kMessageBytes; b-- > 0;) message = message << 8 | memory.peek(address + i * kMessageBytes + b);
        messages.push_back(message);
      }
      memory.consume(address);
      read_index_++;
    }
    write(SPA_RING_READ_INDEX_OFFSET, read_index_);
  }

  // Until done; the host sleeps up to `sleep` cycles between looks and takes up to `most` lines each time.
  void finish(uint64_t sleep, uint64_t most, uint64_t limit = 2000000) {
    const uint64_t end = cycle() + limit;
    for (;;) {
      CHECK(cycle() < end, "not done: status %llx", (unsigned long long)read(SPA_STATUS_OFFSET));
      wait(pick(0, sleep));
      const uint64_t status = read(SPA_STATUS_OFFSET);
      consume(most);
      if (SPA_GET(status, SPA_STATUS_DONE)) break;
    }
    consume(UINT64_MAX);
    CHECK(!memory.in_flight(), "done with memory transactions in flight");
  }

  std::vector<uint64_t> messages;
  std::vector<uint64_t> lines;
  uint32_t read_index() const { return read_index_; }

 private:
  std::unique_ptr<Vspa_top> dut_;
  bool aw_ = false, w_ = false, b_ = false, ar_ = false, r_ = false;
  uint64_t data_ = 0, ring_base_ = 0;
  uint32_t ring_lines_ = 1, read_index_ = 0;
};
