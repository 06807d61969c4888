// The whole array as Catapult takes it: the generated hierarchy over ac_channel, every block a fiber.
#include "fiber.hpp"

// Deeper than any stream of the design, shallow enough that nobody runs far ahead
#define SPA_BLOCK(call)      emulation::Fibers::all().spawn(#call, [&] { for (;;) call; })
#define SPA_WAIT(condition)  emulation::Fibers::all().wait([&] { return condition; })
#define SPA_ROOM(stream)     SPA_WAIT(stream.debug_size() < 1024)
#define SPA_POLL()           emulation::Fibers::all().poll()

#include "spa_array.hpp"
#include "spa_label_writer.hpp"
#include "spa_loader.hpp"
#include "spa_log_writer.hpp"

#include "host.hpp"

int main() {
  ac_channel<spa::Record> program, labels;
  ac_channel<spa::Message> messages;
  std::unique_ptr<spa::Array> array(new spa::Array);
  array->run(program, labels, messages);

  spa::Loader loader;
  spa::LogWriter log_writer;
  spa::LabelWriter label_writer;
  return emulation::serve([&](const emulation::Layout& at, std::vector<spa::Line>& memory,
                              const std::function<void()>& done) {
    emulation::Fibers& fibers = emulation::Fibers::all();
    spa::Line* lines          = memory.data();
    fibers.spawn("loader", [&, lines, at] {
      spa::Memory host = lines;
      loader.run(program, host, at.program, at.program_lines);
    });
    fibers.spawn("log writer", [&, lines, at, done] {
      spa::Memory host = lines;
      log_writer.run(messages, host, at.ring, at.ring_lines, at.status, at.consumed);
      done();
    });
    fibers.spawn("label writer", [&, lines, at, done] {
      spa::Memory host = lines;
      label_writer.run(labels, host, at.labels, at.label_records);
      done();
    });
  });
}
