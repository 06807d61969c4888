// memory.hpp: AXI4 memory with random latency, idle and back-pressure. A write becomes visible only with its response,
// every byte outside the declared buffers is a guard byte, and a ring line must be consumed before it is written again.
#pragma once

#include <map>

#include "common.hpp"

class Memory {
 public:
  int ready_percent = 50;   // AW, W, AR ready
  int latency = 20;         // largest delay of a response
  int read_percent = 80;    // read data valid
  bool stuck = false;       // no response, no ready
  uint64_t write_error_at = UINT64_MAX;  // address that answers with an error
  uint64_t read_error_at = UINT64_MAX;
  uint64_t reads = 0, writes = 0;

  void allow(uint64_t base, uint64_t bytes, bool ring) { areas_.push_back({base, bytes, ring}); }
  void forbid_all() {
    areas_.clear();
    unread_.clear();
  }
  void poke(uint64_t address, uint8_t value) { bytes_[address] = value; }
  uint8_t peek(uint64_t address) const {
    auto found = bytes_.find(address);
    return found == bytes_.end() ? 0xEE : found->second;
  }
  bool unread(uint64_t line) const { return unread_.count(line) != 0; }
  void consume(uint64_t line) {
    CHECK(unread_.erase(line), "line at %llx consumed before it was confirmed", (unsigned long long)line);
  }
  bool in_flight() const { return !aw_.empty() || !w_.empty() || !b_.empty() || !ar_.empty(); }

  template <class Dut>
  void drive(Dut *dut) {
    dut->m_axi_awready_i = !stuck && chance(ready_percent);
    dut->m_axi_wready_i = !stuck && chance(ready_percent);
    dut->m_axi_arready_i = !stuck && chance(ready_percent);
    dut->m_axi_bvalid_i = b_now_ || (!stuck && !b_.empty() && b_.front().due <= cycle());
    b_now_ = dut->m_axi_bvalid_i;
    if (b_now_) dut->m_axi_bresp_i = b_.front().address == write_error_at ? 2 : 0;
    dut->m_axi_rvalid_i = r_now_ || (!stuck && !ar_.empty() && ar_.front().due <= cycle() && chance(read_percent));
    r_now_ = dut->m_axi_rvalid_i;
    if (r_now_) {
      const Burst &burst = ar_.front();
      const uint64_t address = burst.address + burst.beat * kLineBytes;
      for (int i = 0; i < kLineBytes / 4; i++) {
        uint32_t word = 0;
        for (int b = 0; b < 4; b++) word |= uint32_t(peek(address + 4 * i + b)) << (8 * b);
        dut->m_axi_rdata_i[i] = word;
      }
      dut->m_axi_rresp_i = address == read_error_at ? 2 : 0;
      dut->m_axi_rlast_i = burst.beat + 1 == burst.beats;
    }
  }

  // Handshakes of the cycle that ends, from the settled signals.
  template <class Dut>
  void sample(Dut *dut) {
    check_stable(dut);
    if (dut->m_axi_bvalid_i && dut->m_axi_bready_o) {
      commit(b_.front());
      b_.pop_front();
      b_now_ = false;
      writes++;
    }
    if (dut->m_axi_rvalid_i && dut->m_axi_rready_o) {
      r_now_ = false;
      reads++;
      if (++ar_.front().beat == ar_.front().beats) ar_.pop_front();
    }
    if (dut->m_axi_awvalid_o && dut->m_axi_awready_i) {
      CHECK(dut->m_axi_awlen_o == 0 && dut->m_axi_awburst_o == 1, "write burst");
      CHECK((1 << dut->m_axi_awsize_o) == kLineBytes, "awsize");
      CHECK(dut->m_axi_awaddr_o % kLineBytes == 0, "unaligned write");
      aw_.push_back(dut->m_axi_awaddr_o);
    }
    if (dut->m_axi_wvalid_o && dut->m_axi_wready_i) {
      CHECK(dut->m_axi_wlast_o, "wlast");
      CHECK(uint64_t(dut->m_axi_wstrb_o) == ~uint64_t(0) >> (64 - kLineBytes), "wstrb");
      std::vector<uint32_t> line(kLineBytes / 4);
      for (int i = 0; i < kLineBytes / 4; i++) line[i] = dut->m_axi_wdata_o[i];
      w_.push_back(line);
    }
    while (!aw_.empty() && !w_.empty()) {
      b_.push_back({aw_.front(), w_.front(), cycle() + pick(1, latency)});
      aw_.pop_front();
      w_.pop_front();
    }
    if (dut->m_axi_arvalid_o && dut->m_axi_arready_i) {
      const uint64_t beats = dut->m_axi_arlen_o + 1, address = dut->m_axi_araddr_o;
      CHECK(beats <= 16 && dut->m_axi_arburst_o == 1 && (1 << dut->m_axi_arsize_o) == kLineBytes, "read burst");
      CHECK(address % kLineBytes == 0, "unaligned read");
      CHECK(address / 4096 == (address + beats * kLineBytes - 1) / 4096, "read burst crosses 4 KiB");
      ar_.push_back({address, beats, 0, cycle() + pick(1, latency)});
    }
  }

 private:
  struct Area { uint64_t base, bytes; bool ring; };
  struct Write { uint64_t address; std::vector<uint32_t> line; uint64_t due; };
  struct Burst { uint64_t address, beats, beat, due; };

  void commit(const Write &write) {
    for (const Area &area : areas_) {
      if (write.address < area.base || write.address + kLineBytes > area.base + area.bytes) continue;
      if (area.ring) {
        CHECK(unread_.insert({write.address, true}).second, "unread ring line overwritten");
      }
      for (int i = 0; i < kLineBytes; i++) bytes_[write.address + i] = uint8_t(write.line[i / 4] >> (8 * (i % 4)));
      return;
    }
    fail("write outside every buffer: %llx", (unsigned long long)write.address);
  }

  // A valid that was not answered must stay, and its payload too.
  template <class Dut>
  void check_stable(Dut *dut) {
    if (aw_held_) CHECK(dut->m_axi_awvalid_o && dut->m_axi_awaddr_o == aw_last_, "AW changed");
    if (ar_held_) CHECK(dut->m_axi_arvalid_o && dut->m_axi_araddr_o == ar_last_, "AR changed");
    if (w_held_) CHECK(dut->m_axi_wvalid_o && dut->m_axi_wdata_o[0] == w_last_, "W changed");
    aw_held_ = dut->m_axi_awvalid_o && !dut->m_axi_awready_i;
    ar_held_ = dut->m_axi_arvalid_o && !dut->m_axi_arready_i;
    w_held_ = dut->m_axi_wvalid_o && !dut->m_axi_wready_i;
    aw_last_ = dut->m_axi_awaddr_o;
    ar_last_ = dut->m_axi_araddr_o;
    w_last_ = dut->m_axi_wdata_o[0];
  }

  std::map<uint64_t, uint8_t> bytes_;
  std::map<uint64_t, bool> unread_;
  std::vector<Area> areas_;
  std::deque<uint64_t> aw_;
  std::deque<std::vector<uint32_t>> w_;
  std::deque<Write> b_;
  std::deque<Burst> ar_;
  bool b_now_ = false, r_now_ = false;
  bool aw_held_ = false, ar_held_ = false, w_held_ = false;
  uint64_t aw_last_ = 0, ar_last_ = 0;
  uint32_t w_last_ = 0;
};
