// A library with the C ABI of libopae-c whose one card is the Verilated CCI-P wrapper. The driver under test cannot tell it
// from the real library; what a card may do at its worst is chosen in the file `<library>.conf`, one `name value` a line.
//
// Time passes only inside the library: every register access lasts `access` cycles. What the wrapper does against the rules
// of CCI-P makes every later access fail, with the rule on standard error.

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "Vcard.h"
#include "verilated.h"

#define OPAE_API extern "C" __attribute__((visibility("default")))

namespace {

enum Result { OK = 0, INVALID = 1, BUSY = 2, EXCEPTION = 3, NOT_FOUND = 4, NO_MEMORY = 5 };

constexpr uint8_t kGuid[16] = {0x6e, 0x1f, 0x4a, 0x52, 0x8c, 0x07, 0x4d, 0x39,
                               0xb5, 0xf2, 0x0d, 0x83, 0xa9, 0x4c, 0x7e, 0x16};
// Where the card sits on the bus.
constexpr int kSegment = 0, kBus = 0x5e, kDevice = 0, kFunction = 0;
constexpr uint64_t kNever = UINT64_MAX;
constexpr size_t kLine = 64;
constexpr size_t kGuard = 64;
// CCI-P gives an AFU 65,536 cycles for the answer of a register read.
constexpr int kMmioLimit = 65536;
// Requests that an AFU may still send once it has been told that a channel is almost full.
constexpr int kAlmostFullLimit = 8;

struct Config {
  std::map<std::string, uint64_t> values = {
      {"access", 300},             // cycles that a register access lasts
      {"latency", 60},             // cycles to an answer of memory, at least
      {"jitter", 0},               // and at most so many more: answers come out of order
      {"almost_full", 0},          // share of cycles, in percent, in which the channels are almost full
      {"seed", 1},
      {"silent_after", kNever},    // requests after which memory answers nothing
      {"gone_after", kNever},      // register reads after which all give ones
      {"mmio_fails_after", kNever},  // register reads after which all fail
      {"wrong_guid", 0},           // 1: the card has another AFU; 2: its registers say so
      {"busy", 0},                 // 1: another process has it
      {"huge_pages", 1},           // 0: no buffer beyond 4 KiB
      {"reset_fails", 0},
      {"line_order", 0},           // 1: lines become visible only with their fence
  };

  Config() {
    Dl_info info;
    if (dladdr(&kGuid, &info) == 0 || info.dli_fname == nullptr) return;
    std::ifstream file(std::string(info.dli_fname) + ".conf");
    std::string name;
    uint64_t value;
    while (file >> name >> value) {
      if (values.count(name) == 0) {
        std::fprintf(stderr, "opae test library: no setting '%s'\n", name.c_str());
        std::abort();
      }
      values[name] = value;
    }
  }

  uint64_t operator[](const char *name) const { return values.at(name); }
};

struct Buffer {
  uint64_t io;
  size_t bytes;
  std::vector<uint8_t> memory;  // page-aligned inside, with guards

  Buffer(uint64_t io_address, size_t size) : io(io_address), bytes(size), memory(size + 2 * kGuard + 4096, 0xA5) {}
  uint8_t *data() {
    auto address = reinterpret_cast<uintptr_t>(memory.data()) + kGuard;
    return reinterpret_cast<uint8_t *>((address + 4095) / 4096 * 4096);
  }
  bool intact() {
    uint8_t *end = data() + bytes;
    for (size_t i = 0; i < kGuard; ++i)
      if (data()[-1 - static_cast<long>(i)] != 0xA5 || end[i] != 0xA5) return false;
    return true;
  }
};

struct Pending {
  bool fence;
  uint16_t tag;
  uint64_t line;
  uint64_t due;
  uint8_t data[kLine];
};

class Card {
 public:
  explicit Card(const Config &config) : config_(config), top_(&context_), random_(config["seed"]) { reset(); }

  void reset() {
    reads_.clear();
    writes_.clear();
    unseen_.clear();
    expected_.clear();
    top_.mmio_read_i = top_.mmio_write_i = 0;
    top_.reset_i = 1;
    for (int i = 0; i < 20; ++i) clock();
    top_.reset_i = 0;
    requests_ = 0;
    for (int i = 0; i < 4; ++i) clock();
  }

  Result read(uint64_t offset, uint64_t *value) {
    if (++register_reads_ > config_["mmio_fails_after"]) return EXCEPTION;
    if (register_reads_ > config_["gone_after"]) {
      *value = UINT64_MAX;
      return OK;
    }
    mmio(offset, 0, false);
    int waited = 0;
    while (!top_.mmio_answer_o) {
      if (++waited > kMmioLimit) fail("no answer to a register read");
      if (failed_) return EXCEPTION;
      clock();
    }
    if (top_.mmio_answer_tid_o != tid_) fail("a register read was answered with another tid");
    *value = top_.mmio_answer_data_o;
    if (config_["wrong_guid"] == 2 && offset == 8) *value ^= 1;
    pass();
    return failed_ ? EXCEPTION : OK;
  }

  Result write(uint64_t offset, uint64_t value) {
    mmio(offset, value, true);
    pass();
    return failed_ ? EXCEPTION : OK;
  }

  Buffer *prepare(size_t bytes) {
    auto buffer = std::make_unique<Buffer>(next_io_, bytes);
    next_io_ += (bytes + (1 << 21)) / 4096 * 4096;
    Buffer *raw = buffer.get();
    std::memset(raw->data(), 0xEB, bytes);
    buffers_.push_back(std::move(buffer));
    return raw;
  }

  Buffer *find(uint64_t io) {
    for (auto &buffer : buffers_)
      if (buffer->io == io) return buffer.get();
    return nullptr;
  }

  Result release(uint64_t io) {
    for (auto it = buffers_.begin(); it != buffers_.end(); ++it) {
      if ((*it)->io != io) continue;
      if (!reads_.empty() || !writes_.empty()) fail("a buffer was released while the card was using memory");
      if (!(*it)->intact()) fail("the guard bytes of a buffer have changed");
      buffers_.erase(it);
      return failed_ ? EXCEPTION : OK;
    }
    return INVALID;
  }

 private:
  void fail(const char *rule) {
    if (!failed_) std::fprintf(stderr, "opae test library: cycle %llu: %s\n", static_cast<unsigned long long>(cycle_), rule);
    failed_ = true;
  }

  uint64_t random() {
    random_ += 0x9E3779B97F4A7C15u;
    uint64_t z = random_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  uint64_t due() {
    uint64_t jitter = config_["jitter"];
    return cycle_ + config_["latency"] + (jitter == 0 ? 0 : random() % (jitter + 1));
  }

  uint8_t *host(uint64_t line) {
    uint64_t address = line * kLine;
    for (auto &buffer : buffers_)
      if (address >= buffer->io && address + kLine <= buffer->io + buffer->bytes) return buffer->data() + (address - buffer->io);
    return nullptr;
  }

  void mmio(uint64_t offset, uint64_t value, bool write) {
    tid_ = (tid_ + 1) & 0x1FF;
    // Memory's answers share the channel: wait for a cycle without.
    reserve_ = true;
    clock();
    reserve_ = false;
    top_.mmio_address_i = static_cast<uint16_t>(offset / 4);
    top_.mmio_length_i = 1;
    top_.mmio_tid_i = tid_;
    std::memset(&top_.c0_data_i, 0, sizeof(top_.c0_data_i));
    std::memcpy(&top_.c0_data_i, &value, 8);
    top_.read_answer_i = 0;
    top_.mmio_read_i = !write;
    top_.mmio_write_i = write;
    edge();
    top_.mmio_read_i = top_.mmio_write_i = 0;
    observe();
  }

  void pass() {
    for (uint64_t i = 0; i < config_["access"]; ++i) clock();
  }

  // One cycle: inputs, rising edge, what the wrapper then shows.
  void clock() {
    drive();
    edge();
    observe();
  }

  void edge() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
    ++cycle_;
  }

  // Index of a request whose time has come, at random among those.
  template <typename Queue>
  long ripe(const Queue &queue) {
    std::vector<long> choice;
    for (size_t i = 0; i < queue.size(); ++i)
      if (queue[i].due <= cycle_) choice.push_back(static_cast<long>(i));
    return choice.empty() ? -1 : choice[random() % choice.size()];
  }

  void drive() {
    bool full = random() % 100 < config_["almost_full"];
    if (full_left_ > 0) --full_left_;
    else if (full) full_left_ = 1 + random() % 40;
    top_.c0_almost_full_i = top_.c1_almost_full_i = full_left_ > 0;
    if (full_left_ == 0) since_full_read_ = since_full_write_ = 0;

    top_.read_answer_i = 0;
    long i = reserve_ ? -1 : ripe(reads_);
    if (i >= 0) {
      Pending request = reads_[i];
      reads_.erase(reads_.begin() + i);
      const uint8_t *source = host(request.line);
      top_.read_answer_i = 1;
      top_.read_answer_tag_i = request.tag;
      std::memcpy(&top_.c0_data_i, source, kLine);
    }

    top_.write_answer_i = 0;
    long j = ripe(writes_);
    if (j < 0) return;
    Pending request = writes_[j];
    if (request.fence && j != 0) return;  // not before everything that came before it
    writes_.erase(writes_.begin() + j);
    top_.write_answer_i = 1;
    top_.write_answer_fence_i = request.fence;
    top_.write_answer_tag_i = request.tag;
    if (!request.fence) {
      unseen_.push_back(request);
      if (config_["line_order"] == 0) publish();
    } else {
      publish();
    }
  }

  // Writes that have been answered arrive in host memory.
  void publish() {
    for (const Pending &line : unseen_) {
      uint8_t *target = host(line.line);
      if (target == nullptr) fail("a write outside the buffers");
      else std::memcpy(target, line.data, kLine);
    }
    unseen_.clear();
  }

  void observe() {
    if (top_.reset_i) return;
    if (top_.forbidden_o) fail("a request that CCI-P or the wrapper's own rules forbid");
    check_lines();
    bool silent = requests_ >= config_["silent_after"];
    if (top_.read_o) {
      if (full_left_ > 0 && ++since_full_read_ > kAlmostFullLimit) fail("reads in spite of almost full");
      if (host(top_.read_line_o) == nullptr) fail("a read outside the buffers");
      for (const Pending &other : reads_)
        if (other.tag == top_.read_tag_o) fail("a read with the tag of one under way");
      ++requests_;
      if (failed_) return;
      reads_.push_back(Pending{false, top_.read_tag_o, top_.read_line_o, silent ? kNever : due(), {}});
    }
    if (top_.write_o) {
      if (full_left_ > 0 && ++since_full_write_ > kAlmostFullLimit) fail("writes in spite of almost full");
      ++requests_;
      Pending request{top_.write_fence_o != 0, top_.write_tag_o, top_.write_line_o, silent ? kNever : due(), {}};
      std::memcpy(request.data, &top_.write_data_o, kLine);
      if (!request.fence && host(request.line) == nullptr) fail("a write outside the buffers");
      for (const Pending &other : writes_)
        if (!request.fence && !other.fence && other.tag == request.tag) fail("a write with the tag of one under way");
      writes_.push_back(request);
    }
  }

  // Load records may come in any order, AXI lines may not: every line that the core gets is compared with memory.
  void check_lines() {
    if (top_.line_o) {
      if (expected_.empty()) return fail("a line that nobody asked for");
      const uint8_t *source = host(expected_.front().line);
      if (source == nullptr || std::memcmp(source, &top_.line_data_o, kLine) != 0) fail("a line in the place of another");
      if (top_.line_last_o != expected_.front().last) fail("a burst that ends too soon or too late");
      expected_.pop_front();
    }
    if (top_.burst_o)
      for (unsigned i = 0; i <= top_.burst_length_o; ++i)
        expected_.push_back(Expected{top_.burst_address_o / kLine + i, i == top_.burst_length_o});
  }

  struct Expected {
    uint64_t line;
    bool last;
  };

  const Config &config_;
  VerilatedContext context_;
  Vcard top_;
  uint64_t random_;
  uint64_t cycle_ = 0;
  uint64_t requests_ = 0;
  uint64_t register_reads_ = 0;
  uint64_t full_left_ = 0;
  int since_full_read_ = 0;
  int since_full_write_ = 0;
  uint16_t tid_ = 0;
  bool reserve_ = false;
  bool failed_ = false;
  uint64_t next_io_ = 0x1234000000;
  std::deque<Pending> reads_;
  std::deque<Pending> writes_;
  std::vector<Pending> unseen_;
  std::deque<Expected> expected_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
};

// Objects behind the handles of the ABI; counted, so that leaks show.
struct Properties {
  bool wants_guid = false;
  uint8_t guid[16] = {};
  int bus = kBus, device = kDevice, function = kFunction, segment = kSegment;
};
struct Token {};

long live = 0;
std::unique_ptr<Card> card;

const Config &config() {
  static const Config value;
  return value;
}

void guid_of_card(uint8_t *guid) {
  std::memcpy(guid, kGuid, 16);
  if (config()["wrong_guid"] == 1) guid[0] ^= 0xFF;
}

Properties *properties(void *handle) { return static_cast<Properties *>(handle); }

}  // namespace

// Not part of OPAE: objects that were made and not destroyed.
OPAE_API long opae_test_live(void) { return live + (card != nullptr ? 1 : 0); }

OPAE_API int fpgaInitialize(const char *) { return OK; }

OPAE_API const char *fpgaErrStr(int result) {
  switch (result) {
    case OK: return "success";
    case INVALID: return "invalid parameter";
    case BUSY: return "resource busy";
    case EXCEPTION: return "exception";
    case NOT_FOUND: return "not found";
    case NO_MEMORY: return "no memory";
    default: return "unknown error";
  }
}

OPAE_API int fpgaGetProperties(void *token, void **out) {
  auto *made = new Properties;
  if (token != nullptr) guid_of_card(made->guid);
  *out = made;
  ++live;
  return OK;
}

OPAE_API int fpgaDestroyProperties(void **handle) {
  delete properties(*handle);
  *handle = nullptr;
  --live;
  return OK;
}

OPAE_API int fpgaPropertiesSetObjectType(void *, int type) { return type == 1 ? OK : INVALID; }

OPAE_API int fpgaPropertiesSetGUID(void *handle, const uint8_t *guid) {
  properties(handle)->wants_guid = true;
  std::memcpy(properties(handle)->guid, guid, 16);
  return OK;
}

OPAE_API int fpgaPropertiesSetSegment(void *handle, uint16_t value) { return properties(handle)->segment = value, OK; }
OPAE_API int fpgaPropertiesSetBus(void *handle, uint8_t value) { return properties(handle)->bus = value, OK; }
OPAE_API int fpgaPropertiesSetDevice(void *handle, uint8_t value) { return properties(handle)->device = value, OK; }
OPAE_API int fpgaPropertiesSetFunction(void *handle, uint8_t value) { return properties(handle)->function = value, OK; }

OPAE_API int fpgaPropertiesGetSegment(void *handle, uint16_t *out) { return *out = properties(handle)->segment, OK; }
OPAE_API int fpgaPropertiesGetBus(void *handle, uint8_t *out) { return *out = properties(handle)->bus, OK; }
OPAE_API int fpgaPropertiesGetDevice(void *handle, uint8_t *out) { return *out = properties(handle)->device, OK; }
OPAE_API int fpgaPropertiesGetFunction(void *handle, uint8_t *out) { return *out = properties(handle)->function, OK; }

OPAE_API int fpgaEnumerate(void *const *filters, uint32_t count, void **tokens, uint32_t room, uint32_t *found) {
  uint8_t guid[16];
  guid_of_card(guid);
  *found = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Properties &f = *properties(filters[i]);
    if (f.wants_guid && std::memcmp(f.guid, guid, 16) != 0) return OK;
    if (f.bus != kBus || f.device != kDevice || f.function != kFunction || f.segment != kSegment) return OK;
  }
  *found = 1;
  if (room > 0) {
    tokens[0] = new Token;
    ++live;
  }
  return OK;
}

OPAE_API int fpgaDestroyToken(void **token) {
  delete static_cast<Token *>(*token);
  *token = nullptr;
  --live;
  return OK;
}

OPAE_API int fpgaOpen(void *token, void **handle, int flags) {
  if (token == nullptr || flags != 0) return INVALID;
  if (config()["busy"] == 1 || card != nullptr) return BUSY;
  card = std::make_unique<Card>(config());
  *handle = card.get();
  return OK;
}

OPAE_API int fpgaClose(void *handle) {
  if (handle != card.get()) return INVALID;
  card.reset();
  return OK;
}

OPAE_API int fpgaReset(void *handle) {
  if (config()["reset_fails"] == 1) return EXCEPTION;
  static_cast<Card *>(handle)->reset();
  return OK;
}

// As simulations of the real library: registers are reached by the functions only.
OPAE_API int fpgaMapMMIO(void *, uint32_t number, uint64_t **address) {
  return number == 0 && address == nullptr ? OK : INVALID;
}
OPAE_API int fpgaUnmapMMIO(void *, uint32_t number) { return number == 0 ? OK : INVALID; }

OPAE_API int fpgaReadMMIO64(void *handle, uint32_t, uint64_t offset, uint64_t *value) {
  return static_cast<Card *>(handle)->read(offset, value);
}
OPAE_API int fpgaWriteMMIO64(void *handle, uint32_t, uint64_t offset, uint64_t value) {
  return static_cast<Card *>(handle)->write(offset, value);
}

OPAE_API int fpgaPrepareBuffer(void *handle, uint64_t bytes, void **address, uint64_t *id, int) {
  if (bytes == 0 || bytes > (1u << 30)) return INVALID;
  if (bytes > 4096 && config()["huge_pages"] == 0) return NO_MEMORY;
  if (bytes > (1u << 21)) return NO_MEMORY;  // no page of 1 GiB here
  Buffer *buffer = static_cast<Card *>(handle)->prepare(bytes);
  *address = buffer->data();
  *id = buffer->io;
  ++live;
  return OK;
}

OPAE_API int fpgaGetIOAddress(void *handle, uint64_t id, uint64_t *io) {
  if (static_cast<Card *>(handle)->find(id) == nullptr) return NOT_FOUND;
  *io = id;
  return OK;
}

OPAE_API int fpgaReleaseBuffer(void *handle, uint64_t id) {
  Result result = static_cast<Card *>(handle)->release(id);
  if (result == OK) --live;
  return result;
}
