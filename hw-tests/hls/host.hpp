// The host of an emulated array: takes jobs from standard input, drains the ring while the array works, writes the
// log and the labels to standard output.
//
// A job: four words (records of the program, lines of the ring, records of labels, poll interval), then the program.
// An answer: messages, lines, bytes of labels; then the lines of the log, then the labels. Words have 64 bits.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "fiber.hpp"
#include "spa_types.hpp"

namespace emulation {

constexpr size_t kLineBytes = spa::kLineBits / 8;

inline spa::Line to_line(const uint64_t* words) {
  spa::Line line;
  for (int i = 0; i < spa::kLineBits / 64; i++) line.bits.set_slc(64 * i, ac_int<64, false>(words[i]));
  return line;
}

inline void append(std::vector<uint64_t>& words, const spa::Line& line) {
  for (int i = 0; i < spa::kLineBits / 64; i++) words.push_back(line.bits.slc<64>(64 * i).to_uint64());
}

inline bool read_words(uint64_t* words, size_t count) { return fread(words, 8, count, stdin) == count; }

inline void write_words(const std::vector<uint64_t>& words) {
  if (fwrite(words.data(), 8, words.size(), stdout) != words.size() || fflush(stdout) != 0) {
    fprintf(stderr, "cannot write the result\n");
    exit(1);
  }
}

// Where a run finds and leaves its data, in lines
struct Layout {
  uint64_t program, program_lines, ring, ring_lines, status, consumed, labels, label_records;
};

// Starts loader, log writer and label writer for `layout`; calls its second argument when one of the writers is done.
typedef std::function<void(const Layout&, std::vector<spa::Line>&, const std::function<void()>&)> Start;

inline int serve(const Start& start) {
  uint64_t head[4];
  while (read_words(head, 4)) {
    const uint64_t per_line = spa::kLineBits / 64;
    Layout at;
    at.program       = 0;
    at.program_lines = (head[0] + per_line - 1) / per_line;
    at.ring          = at.program_lines;
    at.ring_lines    = head[1];
    at.status        = at.ring + at.ring_lines;
    at.consumed      = at.status + 1;
    at.labels        = at.consumed + 1;
    at.label_records = head[2];
    const uint64_t label_lines = (at.label_records * 32 + spa::kLineBits - 1) / spa::kLineBits;

    // Padding is NOP records: target 15, data 0.
    std::vector<uint64_t> program(at.program_lines * per_line, uint64_t(0xFFFF) << 48);
    if (!read_words(program.data(), head[0])) {
      fprintf(stderr, "the program is cut short\n");
      return 1;
    }
    std::vector<spa::Line> memory(at.labels + label_lines + 1);
    for (auto& line : memory) line.bits = 0;
    for (uint64_t i = 0; i < at.program_lines; i++) memory[at.program + i] = to_line(&program[i * per_line]);

    std::vector<uint64_t> log;
    uint64_t lines = 0, messages = 0;
    int writers = 0;
    bool done   = false;
    Fibers::all().spawn("host", [&] {
      start(at, memory, [&] { writers++; });
      bool end = false;
      for (uint64_t turn = 0; !end || writers < 2; turn++) {
        Fibers::all().poll();
        if (head[3] != 0 && turn % head[3] != 0) continue;
        const spa::Word status = memory[at.status].bits;
        const uint64_t written = status.slc<32>(0).to_uint64();
        end                    = status[96] != 0;
        messages               = status.slc<64>(32).to_uint64();
        for (; lines < written; lines++) append(log, memory[at.ring + lines % at.ring_lines]);
        memory[at.consumed].bits = lines;
      }
      done = true;
    });
    Fibers::all().run([&] { return done; });

    std::vector<uint64_t> answer = {messages, lines, label_lines * kLineBytes};
    answer.insert(answer.end(), log.begin(), log.end());
    for (uint64_t i = 0; i < label_lines; i++) append(answer, memory[at.labels + i]);
    write_words(answer);
  }
  return 0;
}

}  // namespace emulation
