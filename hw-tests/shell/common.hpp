// common.hpp: what the parts of the testbench share.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <vector>

constexpr int kLineBytes = LINE_BITS / 8;
constexpr int kMessageBytes = MESSAGE_BITS / 8;
constexpr int kMessagesPerLine = kLineBytes / kMessageBytes;
constexpr int kSpes = SPES;

inline std::mt19937_64 &rng() {
  static std::mt19937_64 engine(1);
  return engine;
}

inline uint64_t pick(uint64_t low, uint64_t high) { return low + rng()() % (high - low + 1); }
inline bool chance(int percent) { return static_cast<int>(rng()() % 100) < percent; }

inline uint64_t &cycle() {
  static uint64_t now = 0;
  return now;
}

[[noreturn]] inline void fail(const char *format, ...) {
  va_list list;
  va_start(list, format);
  std::fprintf(stderr, "FAIL line %d bits, message %d bits, %d SPEs, cycle %llu: ", LINE_BITS, MESSAGE_BITS, SPES,
               static_cast<unsigned long long>(cycle()));
  std::vfprintf(stderr, format, list);
  std::fprintf(stderr, "\n");
  va_end(list);
  std::exit(1);
}

#define CHECK(condition, ...) \
  do {                        \
    if (!(condition)) fail(__VA_ARGS__); \
  } while (0)
