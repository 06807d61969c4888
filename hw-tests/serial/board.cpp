// The board's top under Verilator, with a pseudo-terminal in place of its serial chip. Prints the path of the terminal and
// works until standard input ends.
//
//   board [noise=PPM] [silent_after=BYTES] [seed=N]
//
// noise: bytes of a million, either way, that are damaged or lost; silent_after: bytes from the host after which the board
// hears nothing any more.

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <poll.h>
#include <random>
#include <string>
#include <termios.h>
#include <unistd.h>

#include "Vboard.h"

#ifndef CLOCKS_PER_BIT
#error "CLOCKS_PER_BIT must be what the top was built with"
#endif

namespace {

// Cycles without a byte after which the board sleeps until the host sends one: longer than its own time-out, 2^19 cycles. These pass as fast
// as this machine computes them, so a host that gets no processor for a while must not look as if it had stopped in the middle of a request.
constexpr uint64_t kIdle = 1u << 20;
// Cycles between two looks at the terminal.
constexpr uint64_t kLook = 256;

struct Settings {
  uint64_t noise = 0;
  uint64_t silent_after = UINT64_MAX;
  uint64_t seed = 1;
};

[[noreturn]] void die(const std::string &what) {
  std::fprintf(stderr, "board: %s: %s\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

Settings parse(int argc, char **argv) {
  Settings settings;
  for (int i = 1; i < argc; i++) {
    const std::string text = argv[i];
    const size_t cut = text.find('=');
    const std::string name = text.substr(0, cut);
    const uint64_t value = std::strtoull(text.c_str() + (cut == std::string::npos ? 0 : cut + 1), nullptr, 10);
    if (name == "noise") settings.noise = value;
    else if (name == "silent_after") settings.silent_after = value;
    else if (name == "seed") settings.seed = value;
    else {
      std::fprintf(stderr, "board: unknown setting '%s'\n", text.c_str());
      std::exit(2);
    }
  }
  return settings;
}

// A byte on its way to the board: start bit, eight bits, stop bit.
class Sender {
 public:
  bool idle() const { return bit_ == 0; }
  void start(uint8_t byte) {
    shift_ = static_cast<uint16_t>(1u << 9 | byte << 1);
    bit_ = 10;
    count_ = CLOCKS_PER_BIT;
  }
  bool line() const { return bit_ == 0 || (shift_ & 1); }
  void clock() {
    if (bit_ == 0 || --count_ > 0) return;
    count_ = CLOCKS_PER_BIT;
    shift_ >>= 1;
    bit_--;
  }

 private:
  uint16_t shift_ = 0;
  int bit_ = 0;
  int count_ = 0;
};

// A byte from the board; each bit is sampled in its middle.
class Receiver {
 public:
  bool idle() const { return bit_ == 0; }
  // True if a byte is complete.
  bool clock(bool line, uint8_t &byte) {
    if (bit_ == 0) {
      if (!line) {
        bit_ = 1;
        count_ = CLOCKS_PER_BIT / 2;
      }
      return false;
    }
    if (--count_ > 0) return false;
    count_ = CLOCKS_PER_BIT;
    if (bit_ == 1) {
      bit_ = line ? 0 : 2;
    } else if (bit_ < 10) {
      byte_ = static_cast<uint8_t>(byte_ >> 1 | (line ? 0x80 : 0));
      bit_++;
    } else {
      bit_ = 0;
      byte = byte_;
      return line;
    }
    return false;
  }

 private:
  uint8_t byte_ = 0;
  int bit_ = 0;
  int count_ = 0;
};

}  // namespace

int main(int argc, char **argv) {
  const Settings settings = parse(argc, argv);
  std::mt19937_64 random(settings.seed);

  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) die("no pseudo-terminal");
  const char *path = ptsname(terminal);
  // Held open, so that the host may come and go.
  const int other = open(path, O_RDWR | O_NOCTTY);
  termios raw{};
  if (other < 0 || tcgetattr(other, &raw) != 0) die(path);
  cfmakeraw(&raw);
  if (tcsetattr(other, TCSANOW, &raw) != 0) die(path);
  std::printf("%s\n", path);
  std::fflush(stdout);

  // Loses or damages a byte now and then: true if it is lost.
  const auto disturb = [&](uint8_t &byte) {
    if (settings.noise == 0 || random() % 1'000'000 >= settings.noise) return false;
    if (random() & 1) return true;
    byte ^= static_cast<uint8_t>(1u << random() % 8);
    return false;
  };

  Vboard board;
  Sender sender;
  Receiver receiver;
  std::deque<uint8_t> to_board;
  uint64_t heard = 0;
  uint64_t quiet = 0;
  board.btn = 1;
  for (uint64_t cycle = 0;; cycle++) {
    if (cycle % kLook == 0 || quiet > kIdle) {
      pollfd looks[2] = {{terminal, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
      if (poll(looks, 2, quiet > kIdle ? 50 : 0) < 0 && errno != EINTR) die("poll");
      if (looks[1].revents != 0) return 0;
      uint8_t bytes[512];
      const ssize_t count = to_board.size() < sizeof bytes ? read(terminal, bytes, sizeof bytes) : 0;
      for (ssize_t i = 0; i < count; i++) {
        if (heard++ < settings.silent_after && !disturb(bytes[i])) to_board.push_back(bytes[i]);
      }
      if (count > 0) quiet = 0;
      else if (quiet > kIdle) continue;
    }
    if (sender.idle() && !to_board.empty()) {
      sender.start(to_board.front());
      to_board.pop_front();
    }
    quiet = sender.idle() && receiver.idle() ? quiet + 1 : 0;
    board.ftdi_txd = sender.line();
    sender.clock();
    board.clk_25mhz = 0;
    board.eval();
    uint8_t byte = 0;
    if (receiver.clock(board.ftdi_rxd, byte) && !disturb(byte)) {
      // A terminal that nobody reads takes no more; the byte is lost, as on a real line.
      if (write(terminal, &byte, 1) < 0 && errno != EAGAIN) die("write");
    }
    board.clk_25mhz = 1;
    board.eval();
  }
}
