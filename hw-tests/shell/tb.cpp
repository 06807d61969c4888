// tb.cpp: tests of the shell. Every test goes on with the same accelerator, without reset.
#include "card.hpp"
#include "stub.hpp"

#include <algorithm>

Stub stub;

extern "C" {
void stub_load(int target, int spe, int addr, int data) {
  stub.records.push_back({uint32_t(target), uint32_t(spe), uint32_t(addr), uint32_t(data)});
}
void stub_slot(int half_start, int colour, int collect, int first, int row0, int base, int iteration, int entry) {
  stub.slot(half_start, colour, collect, first, uint32_t(row0), uint32_t(base), uint32_t(iteration), uint32_t(entry));
}
int stub_label(int spe, int addr) { return Stub::label(uint32_t(spe), uint32_t(addr)); }
long long stub_cycle(int running, int drain_start) { return (long long)stub.step(running, drain_start); }
long long stub_message(int spe, int taken) { return (long long)stub.message(spe, taken); }
}

namespace {

constexpr uint64_t kLoad = SPA_CONTROL_LOAD_MASK, kRun = SPA_CONTROL_RUN_MASK, kReadback = SPA_CONTROL_READBACK_MASK;
constexpr uint32_t kRvCapacity = 1024;  // as in run.sh

uint64_t count(Card &card, uint32_t offset) { return card.read(offset); }

void idle_knobs(Card &card) {
  card.memory.ready_percent = int(pick(20, 100));
  card.memory.read_percent = int(pick(20, 100));
  card.memory.latency = int(pick(1, 80));
  stub.message_percent = 20;
  stub.drain.clear();
  stub.latency = uint32_t(pick(5, 60));
}

void test_registers(Card &card) {
  CHECK(card.read(SPA_DFH_OFFSET) == (UINT64_C(1) << 60 | UINT64_C(1) << 40), "DFH");
  CHECK(card.read(SPA_DFH_NEXT_AFU_OFFSET) == 0 && card.read(SPA_DFH_RESERVED_OFFSET) == 0, "DFH tail");
  CHECK(card.read(SPA_AFU_ID_H_OFFSET) >> 32 == 0x6e1f4a52, "AFU id");
  CHECK(SPA_GET(card.read(SPA_ABI_OFFSET), SPA_ABI_MAGIC) == SPA_ABI_MAGIC, "magic");
  CHECK(SPA_GET(card.read(SPA_BUILD_MEMORY_OFFSET), SPA_BUILD_MEMORY_LINE_BITS) == LINE_BITS, "line bits");
  CHECK(SPA_GET(card.read(SPA_BUILD_WIDTHS_OFFSET), SPA_BUILD_WIDTHS_MESSAGE_BITS) == MESSAGE_BITS, "message bits");
  const uint64_t array = card.read(SPA_BUILD_ARRAY_OFFSET);
  CHECK(SPA_GET(array, SPA_BUILD_ARRAY_ROWS) * SPA_GET(array, SPA_BUILD_ARRAY_COLS) == kSpes, "shape");
  for (uint32_t address : {0x400u, 0x8000u, 0xFFF8u, 0x3F8u, 0x200u}) {
    CHECK(card.read(address) == 0, "read of unmapped %x", address);
    if (address != 0x200) card.write(address, ~UINT64_C(0));
  }
  card.write(SPA_SCRATCH_OFFSET, UINT64_C(0x1122334455667788));
  card.write(SPA_SCRATCH_OFFSET, UINT64_C(0xAAAAAAAABBBBBBBB), 0xF0);
  CHECK(card.read(SPA_SCRATCH_OFFSET) == UINT64_C(0xAAAAAAAA55667788), "upper half");
  card.write(SPA_SCRATCH_OFFSET + 4, UINT64_C(0xCCCCCCCC00000000), 0x30);
  CHECK(card.read(SPA_SCRATCH_OFFSET + 4) == UINT64_C(0xAAAACCCC55667788), "byte strobes");
  for (uint32_t offset = SPA_FIELD_SIZE_OFFSET; offset <= SPA_READBACK_WORDS_OFFSET; offset += 8) {
    if (offset == SPA_RING_READ_INDEX_OFFSET) continue;
    const uint64_t value = rng()();
    card.write(offset, value);
    const uint64_t back = card.read(offset);
    CHECK((back & ~value) == 0, "%x reads bits that were not written", offset);
    card.write(offset, 0);
    CHECK(card.read(offset) == 0, "%x", offset);
  }
  CHECK(SPA_GET(card.read(SPA_STATUS_OFFSET), SPA_STATUS_IDLE), "idle after reset");
  CHECK(card.read(SPA_ERRORS_OFFSET) == 0, "errors after reset");
}

// Writes random records to memory and gives what must arrive at the array.
std::vector<Record> fill_records(Card &card, uint64_t base, uint32_t lines, const std::vector<uint32_t> &schedule) {
  std::vector<Record> expected;
  size_t entry = 0;
  for (uint64_t i = 0; i < uint64_t(lines) * kLineBytes / 8; i++) {
    Record record{uint32_t(pick(0, 10)), uint32_t(pick(0, 0xFFF)), uint32_t(pick(0, 0xFFFFFF)), uint32_t(pick(0, 0xFFFFFF))};
    if (chance(10)) record.target = 15;
    if (entry < schedule.size() && chance(70)) {
      record = {11, uint32_t(pick(0, 0xFFF)), uint32_t(entry), schedule[entry]};
      entry++;
    }
    if (record.target <= 10) expected.push_back(record);
    const uint64_t word = uint64_t(record.target) << 60 | uint64_t(record.spe) << 48 | uint64_t(record.addr) << 24 | record.data;
    for (int b = 0; b < 8; b++) card.memory.poke(base + 8 * i + b, uint8_t(word >> (8 * b)));
  }
  CHECK(entry == schedule.size(), "schedule did not fit into the load");
  return expected;
}

void load(Card &card, uint64_t base, uint32_t lines, const std::vector<uint32_t> &schedule) {
  idle_knobs(card);
  stub.records.clear();
  const auto expected = fill_records(card, base, lines, schedule);
  card.write(SPA_LOAD_BASE_OFFSET, base);
  card.write(SPA_LOAD_LINES_OFFSET, lines);
  const uint64_t reads = card.memory.reads;
  card.start(kLoad);
  card.finish(50, 0);
  CHECK(card.memory.reads - reads == lines, "read %llu lines of %u", (unsigned long long)(card.memory.reads - reads), lines);
  CHECK(stub.records == expected, "%zu records of %zu", stub.records.size(), expected.size());
  CHECK(count(card, SPA_COUNT_RECORDS_OFFSET) == expected.size() + schedule.size(), "COUNT_RECORDS");
  CHECK(card.read(SPA_ERRORS_OFFSET) == 0, "errors");
}

void test_load(Card &card) {
  for (uint32_t lines : {0u, 1u, 2u, 3u, 15u, 16u, 17u, 31u, 33u, 100u}) {
    load(card, 0x10000 + kLineBytes * pick(0, 63), lines, {});
  }
  for (uint64_t before = 1; before <= 20; before += 3) load(card, 0x20000 - before * kLineBytes, 24, {});
  load(card, UINT64_C(0x7FFFFFFFF) + 1 - 5 * kLineBytes, 12, {});   // carry into the upper half
  load(card, UINT64_C(0xFFFFFFFFFFFF0000), 4, {});
}

struct Case {
  Plan plan;
  uint64_t ring_base = 0x100000;
  uint32_t ring_lines = 4;
  uint64_t sleep = 300, most = 3;
  bool with_load = true, readback = false;
};

void set_plan(Card &card, const Plan &plan) {
  card.write(SPA_TILE_SIZE_OFFSET, SPA_PUT(plan.w, SPA_TILE_SIZE_WIDTH) | SPA_PUT(plan.h, SPA_TILE_SIZE_HEIGHT) |
              SPA_PUT(plan.groups, SPA_TILE_SIZE_GROUPS));
  card.write(SPA_LABELS_OFFSET, 5);
  card.write(SPA_ITERATIONS_OFFSET, SPA_PUT(plan.iterations, SPA_ITERATIONS_TOTAL) |
              SPA_PUT(plan.burn_in, SPA_ITERATIONS_BURN_IN));
  card.write(SPA_SLOT_TIMING_OFFSET, SPA_PUT(plan.slot_cycles, SPA_SLOT_TIMING_CYCLES) |
              SPA_PUT(plan.gap, SPA_SLOT_TIMING_SWITCH_GAP));
  card.write(SPA_SCHEDULE_OFFSET, plan.schedule.size());
}

void check_labels(Card &card, uint64_t base, uint32_t words) {
  uint64_t at = base;
  for (uint32_t spe = 0; spe < uint32_t(kSpes); spe++) {
    for (uint32_t colour = 0; colour < 2; colour++) {
      for (uint32_t word = 0; word < words; word++) {
        for (uint32_t bank = 0; bank < 4; bank++, at++) {
          const uint8_t expected = Stub::label(spe, (colour * kRvCapacity / 8 + word) << 2 | bank);
          CHECK(card.memory.peek(at) == expected, "label of SPE %u at %u", spe, word);
        }
      }
    }
  }
  for (; at % kLineBytes; at++) CHECK(card.memory.peek(at) == 0, "label padding");
}

// Everything that must hold after a run of `slots` slots.
void check_run(Card &card, const Plan &plan, bool stopped) {
  const uint64_t slots = uint64_t(stub.iterations) * 2 * plan.h * plan.groups;
  CHECK(stub.slots == slots, "%llu slots, expected %llu", (unsigned long long)stub.slots, (unsigned long long)slots);
  if (!stopped) CHECK(stub.iterations == plan.iterations, "iterations");
  CHECK(SPA_GET(card.read(SPA_PROGRESS_OFFSET), SPA_PROGRESS_ITERATION) == stub.iterations, "PROGRESS");
  CHECK(SPA_GET(card.read(SPA_STATUS_OFFSET), SPA_STATUS_STOPPED) == (stub.iterations != plan.iterations), "stopped");
  CHECK(stub.drained == (stub.iterations > plan.burn_in), "drain");
  CHECK(card.read(SPA_ERRORS_OFFSET) == 0, "errors %llx", (unsigned long long)card.read(SPA_ERRORS_OFFSET));
  CHECK(count(card, SPA_COUNT_SLOTS_OFFSET) == slots, "COUNT_SLOTS");
  const size_t sent = stub.sent.size();
  if (slots) CHECK(count(card, SPA_COUNT_SENT_OFFSET) == sent, "COUNT_SENT");
  CHECK(count(card, SPA_COUNT_RECEIVED_OFFSET) == sent, "COUNT_RECEIVED");
  const size_t lines = (sent + kMessagesPerLine - 1) / kMessagesPerLine;
  CHECK(card.read_index() == lines, "%u lines, expected %zu", card.read_index(), lines);
  CHECK(count(card, SPA_COUNT_LINES_OFFSET) == lines, "COUNT_LINES");
  CHECK(card.messages.size() == lines * kMessagesPerLine, "messages");
  for (size_t i = sent; i < card.messages.size(); i++) CHECK(card.messages[i] == 0, "padding of the last line");
  card.messages.resize(sent);
  std::vector<uint64_t> got = card.messages, expected(stub.sent.begin(), stub.sent.end());
  std::sort(got.begin(), got.end());
  CHECK(got == expected, "messages differ");
}

void run(Card &card, const Case &test) {
  card.memory.forbid_all();
  card.ring(test.ring_base, test.ring_lines);
  set_plan(card, test.plan);
  std::vector<Record> expected;
  stub.records.clear();
  if (test.with_load) {
    const uint64_t base = 0x40000 + kLineBytes * pick(0, 63);
    const uint32_t lines = uint32_t(pick(70, 90) * 64 / kLineBytes);
    expected = fill_records(card, base, lines, test.plan.schedule);
    card.write(SPA_LOAD_BASE_OFFSET, base);
    card.write(SPA_LOAD_LINES_OFFSET, lines);
  }
  const uint32_t words = uint32_t(pick(1, 6));
  const uint64_t labels = 0x200000 - kLineBytes * pick(0, 3);
  if (test.readback) {
    const uint64_t bytes = uint64_t(kSpes) * words * 8;
    card.memory.allow(labels, (bytes + kLineBytes - 1) / kLineBytes * kLineBytes, false);
    card.write(SPA_READBACK_BASE_OFFSET, labels);
    card.write(SPA_READBACK_WORDS_OFFSET, words);
  }
  stub.begin(test.plan);
  card.start(kRun | (test.with_load ? kLoad : 0) | (test.readback ? kReadback : 0));
  card.finish(test.sleep, test.most);
  CHECK(stub.records == expected, "records");
  check_run(card, test.plan, false);
  if (test.readback) check_labels(card, labels, words);
}

// Labels alone: the log and its indices stay out of it.
void readback(Card &card) {
  const uint32_t words = uint32_t(pick(1, 20));
  const uint64_t base = 0x400000 + kLineBytes * pick(0, 9);
  const uint64_t bytes = uint64_t(kSpes) * words * 8;
  card.memory.forbid_all();
  card.memory.allow(base, (bytes + kLineBytes - 1) / kLineBytes * kLineBytes, false);
  card.write(SPA_READBACK_BASE_OFFSET, base);
  card.write(SPA_READBACK_WORDS_OFFSET, words);
  card.start(kReadback);
  card.finish(50, 0);
  CHECK(card.read_index() == 0 && card.read(SPA_ERRORS_OFFSET) == 0, "readback alone");
  check_labels(card, base, words);
}

Plan random_plan() {
  Plan plan;
  plan.w = uint32_t(pick(1, 8) * 4);
  plan.h = uint32_t(pick(1, 4) * 2);
  plan.groups = uint32_t(pick(1, 4));
  plan.iterations = uint32_t(pick(1, 9));
  plan.burn_in = uint32_t(pick(0, plan.iterations));
  plan.slot_cycles = uint32_t(pick(0, 9));
  plan.gap = chance(50) ? 0 : uint32_t(pick(1, 20));
  plan.schedule.clear();
  for (uint64_t i = pick(1, 6); i > 0; i--) plan.schedule.push_back(uint32_t(pick(1, 3)));
  return plan;
}

void test_runs(Card &card) {
  for (int i = 0; i < 40; i++) {
    idle_knobs(card);
    Case test;
    test.plan = random_plan();
    test.ring_lines = uint32_t(pick(1, 6));
    test.ring_base = (chance(20) ? UINT64_C(0x300000000) : 0x100000) - kLineBytes * pick(0, 3);
    test.sleep = pick(0, 400);
    test.most = pick(1, 4);
    test.readback = chance(50);
    stub.message_percent = int(pick(0, 1) * pick(1, 100));
    for (int spe = 0; spe < kSpes; spe++) stub.drain.push_back(chance(50) ? 0 : uint32_t(pick(0, 30)));
    run(card, test);
    test.with_load = false;
    test.readback = false;
    run(card, test);  // again, without load
    readback(card);
  }
}

// As many messages as fit a whole number of lines, one more, one less; none.
void test_exact(Card &card) {
  for (int lines = 0; lines < 4; lines++) {
    for (int more = -1; more <= 1; more++) {
      const int total = lines * kMessagesPerLine + more;
      if (total < 0) continue;
      idle_knobs(card);
      Case test;
      test.ring_lines = uint32_t(std::max(1, lines));
      stub.message_percent = 0;
      stub.drain.assign(kSpes, 0);
      for (int i = 0; i < total; i++) stub.drain[size_t(i) % kSpes]++;
      run(card, test);
      CHECK(card.messages.size() == size_t(total), "exact fit");
    }
  }
}

void test_short_runs(Card &card) {
  idle_knobs(card);
  Case test;
  test.plan.iterations = 0;
  run(card, test);
  test.plan.iterations = 3;
  for (uint32_t burn_in : {2u, 3u, 4u}) {
    test.plan.burn_in = burn_in;
    stub.drain.assign(kSpes, 2);
    run(card, test);
  }
  // Stop while loading, early, late.
  for (uint64_t after : {0u, 20u, 1000u, 2000u}) {
    idle_knobs(card);
    card.memory.forbid_all();
    card.ring(0x100000, 5);
    Plan plan = random_plan();
    plan.iterations = 1000000;
    plan.burn_in = uint32_t(pick(0, 3));
    stub.drain.assign(kSpes, 2);
    set_plan(card, plan);
    stub.begin(plan);
    fill_records(card, 0x40000, uint32_t(5000 / kLineBytes), plan.schedule);
    card.write(SPA_LOAD_BASE_OFFSET, 0x40000);
    card.write(SPA_LOAD_LINES_OFFSET, 5000 / kLineBytes);
    card.start(kLoad | kRun);
    for (uint64_t i = 0; i < after; i += 10) {
      card.wait(10);
      card.consume(2);
    }
    card.write(SPA_CONTROL_OFFSET, SPA_CONTROL_STOP_MASK);
    card.finish(100, 3);
    check_run(card, plan, true);
  }
}

void test_errors(Card &card) {
  idle_knobs(card);
  card.memory.forbid_all();
  Case test;
  run(card, test);
  const uint32_t base_offsets[] = {SPA_TILE_SIZE_OFFSET, SPA_LABELS_OFFSET, SPA_SCHEDULE_OFFSET, SPA_RING_LINES_OFFSET,
                                   SPA_LOAD_BASE_OFFSET, SPA_READBACK_BASE_OFFSET};
  for (int i = 0; i < 6; i++) {
    const uint64_t keep = card.read(base_offsets[i]);
    card.write(SPA_READBACK_WORDS_OFFSET, 1);
    card.write(base_offsets[i], i >= 4 ? 8 : 0);
    stub.begin(test.plan);
    card.start(kLoad | kRun | kReadback);
    card.finish(10, 1);
    CHECK(card.read(SPA_ERRORS_OFFSET) == (4 | UINT64_C(1) << (16 + i)), "parameter error %d: %llx", i,
          (unsigned long long)card.read(SPA_ERRORS_OFFSET));
    CHECK(stub.slots == 0, "run in spite of an error");
    card.write(base_offsets[i], keep);
  }
  card.write(SPA_CONTROL_OFFSET, SPA_CONTROL_CLEAR_ERRORS_MASK);
  CHECK(card.read(SPA_ERRORS_OFFSET) == 0, "clear_errors");

  // Read error: no run.
  card.memory.read_error_at = 0x40000;
  fill_records(card, 0x40000, 4, {});
  card.write(SPA_LOAD_BASE_OFFSET, 0x40000);
  card.write(SPA_LOAD_LINES_OFFSET, 4);
  stub.begin(test.plan);
  card.start(kLoad | kRun);
  card.finish(10, 1);
  CHECK(card.read(SPA_ERRORS_OFFSET) == 1 && stub.slots == 0, "read error");
  card.memory.read_error_at = UINT64_MAX;

  // Write error: the run goes on, the flag stays. Locked registers, start while busy, read index too far.
  card.memory.write_error_at = 0x100000;
  stub.drain.assign(kSpes, 9);
  Plan plan = test.plan;
  plan.iterations = 2000;
  set_plan(card, plan);
  stub.begin(plan);
  card.start(kRun);
  card.wait(300);
  card.write(SPA_LABELS_OFFSET, 77);
  CHECK(card.read(SPA_LABELS_OFFSET) == 5, "locked register changed");
  card.write(SPA_CONTROL_OFFSET, SPA_CONTROL_START_MASK | kRun);
  card.finish(20, 5);
  CHECK(card.read(SPA_ERRORS_OFFSET) == (2 | 16 | 32), "errors %llx", (unsigned long long)card.read(SPA_ERRORS_OFFSET));
  CHECK(SPA_GET(card.read(SPA_STATUS_OFFSET), SPA_STATUS_ERROR), "STATUS.error");
  card.memory.write_error_at = UINT64_MAX;
  card.write(SPA_RING_READ_INDEX_OFFSET, card.read_index() + 1);
  card.wait(10);
  CHECK(card.read(SPA_ERRORS_OFFSET) & 8, "ring index error");
  test.plan.iterations = 5;
  run(card, test);
}

void test_soft_reset(Card &card) {
  for (int i = 0; i < 12; i++) {
    idle_knobs(card);
    stub.message_percent = 80;
    card.memory.forbid_all();
    card.ring(0x100000, 3);
    card.memory.allow(0x200000, 0x10000, false);
    Plan plan = random_plan();
    plan.iterations = 100000;
    plan.burn_in = 0;
    plan.schedule = {1};  // not loaded every time
    set_plan(card, plan);
    stub.begin(plan);
    fill_records(card, 0x40000, uint32_t(8192 / kLineBytes), plan.schedule);
    card.write(SPA_LOAD_BASE_OFFSET, 0x40000);
    card.write(SPA_LOAD_LINES_OFFSET, 8192 / kLineBytes);
    card.write(SPA_READBACK_BASE_OFFSET, 0x200000);
    card.write(SPA_READBACK_WORDS_OFFSET, 16);
    card.start(i % 3 == 0 ? kLoad : i % 3 == 1 ? kRun : kReadback);
    card.wait(pick(60, i % 3 == 1 ? 3000 : 400));
    card.memory.stuck = chance(50);
    card.wait(100);
    card.write(SPA_CONTROL_OFFSET, SPA_CONTROL_SOFT_RESET_MASK);
    card.wait(100);
    if (card.memory.stuck && card.memory.in_flight()) {
      CHECK(SPA_GET(card.read(SPA_STATUS_OFFSET), SPA_STATUS_STATE) == 7, "reset must wait for memory");
    }
    card.memory.stuck = false;
    for (int k = 0; !SPA_GET(card.read(SPA_STATUS_OFFSET), SPA_STATUS_IDLE); k++) CHECK(k < 10000, "reset never ends");
    CHECK(!card.memory.in_flight(), "transaction forgotten");
    Case test;
    test.plan = random_plan();
    test.readback = true;
    stub.drain.assign(kSpes, 3);
    run(card, test);
  }
}

// Whatever holds up the log shows in the right counter, and a fast path is really fast.
void test_rates(Card &card) {
  Case test;
  test.with_load = false;
  test.plan.groups = 4;
  test.plan.h = 8;
  test.plan.iterations = kSpes > 8 ? 4 : 40;  // the slow host below takes a few lines in hundreds of cycles
  test.plan.slot_cycles = 4;
  test.plan.schedule = {1};
  idle_knobs(card);
  stub.message_percent = 100;
  card.memory.ready_percent = card.memory.read_percent = 100;
  card.memory.latency = 30;
  test.ring_lines = 100000;
  run(card, test);
  const uint64_t cycles = count(card, SPA_COUNT_RUN_OFFSET), messages = count(card, SPA_COUNT_RECEIVED_OFFSET);
  std::printf("rate: %.3f messages a cycle while running\n", double(messages) / double(cycles));
  CHECK(count(card, SPA_COUNT_STALL_RING_OFFSET) == 0, "ring stalls with a large ring");
  if (kSpes <= 4) CHECK(count(card, SPA_COUNT_STALL_FIFO_OFFSET) == 0, "hub stalls with few SPEs");
  test.ring_lines = 2;
  test.sleep = 500;
  run(card, test);
  CHECK(kSpes < 3 || count(card, SPA_COUNT_STALL_RING_OFFSET) > 0, "no ring stall counted");
  card.memory.ready_percent = 2;
  test.ring_lines = 100000;
  run(card, test);
  CHECK(kSpes < 3 || count(card, SPA_COUNT_STALL_MEMORY_OFFSET) > 0, "no memory stall counted");
}

}  // namespace

int main(int argc, char **argv) {
  Verilated::commandArgs(argc, argv);
  if (argc > 1) rng().seed(std::strtoull(argv[1], nullptr, 0));
  Card card;
  test_registers(card);
  test_load(card);
  test_exact(card);
  test_runs(card);
  test_short_runs(card);
  test_errors(card);
  test_soft_reset(card);
  test_rates(card);
  std::printf("PASS line %d, message %d, %d SPEs: %llu cycles\n", LINE_BITS, MESSAGE_BITS, SPES,
              static_cast<unsigned long long>(cycle()));
  return 0;
}
