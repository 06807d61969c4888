// The whole array as Platform Designer connects it: instances and connections come from the file named by the first
// argument, one a line: "instance NAME COMPONENT" and "connect NAME.PORT NAME.PORT".
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include "HLS/hls.h"

// Every intel/spa_*.cpp of the build, and a table of them; written by the test.
#include "components.inc"

#include "host.hpp"

namespace {

[[noreturn]] void fail(const std::string& cause) {
  fprintf(stderr, "%s\n", cause.c_str());
  exit(1);
}

// An instance of an always-run component
struct Instance {
  virtual ~Instance() {}
  virtual void start(const std::string& name) = 0;
  std::map<std::string, ihc::Port*> ports;
};

template <class... Ports>
struct Running : Instance {
  typedef void (*Function)(Ports&...);

  Running(Function f, const std::vector<std::string>& names) : function(f) { name_ports<0>(names); }

  void start(const std::string& name) override {
    emulation::Fibers::all().spawn(name, [this] {
      for (;;) {
        emulation::Fibers::all().current().states = 0;
        call(std::index_sequence_for<Ports...>());
      }
    });
  }

 private:
  template <size_t I>
  typename std::enable_if<I == sizeof...(Ports)>::type name_ports(const std::vector<std::string>&) {}
  template <size_t I>
  typename std::enable_if<I != sizeof...(Ports)>::type name_ports(const std::vector<std::string>& names) {
    ports[names.at(I)] = &std::get<I>(arguments);
    name_ports<I + 1>(names);
  }
  template <size_t... I>
  void call(std::index_sequence<I...>) { function(std::get<I>(arguments)...); }

  Function function;
  std::tuple<Ports...> arguments;
};

template <class... Ports>
std::unique_ptr<Instance> make(void (*function)(Ports&...), const std::vector<std::string>& names) {
  return std::unique_ptr<Instance>(new Running<Ports...>(function, names));
}

// The three components that the host starts: their streams, by the names of the netlist
struct Started {
  spa::Out<spa::Record> chain;
  spa::In<spa::Message, spa::kLogFifoDepth> messages;
  spa::In<spa::Record, spa::kSlotDepth> labels;
};

class Netlist {
 public:
  Netlist(const char* path, Started& started) {
    ports_["loader.chain"]          = &started.chain;
    ports_["log_writer.messages"]   = &started.messages;
    ports_["label_writer.labels"]   = &started.labels;
    std::ifstream file(path);
    if (!file) fail(std::string("cannot read ") + path);
    std::string kind, a, b;
    while (file >> kind >> a >> b) {
      if (kind == "instance") add(a, b);
      else if (kind == "connect") connect(a, b);
      else fail("what is '" + kind + "'?");
    }
    for (auto& port : ports_) {
      if (!connected_.count(port.first)) fail(port.first + " is not connected");
    }
    for (auto& instance : instances_) instance.second->start(instance.first);
  }

 private:
  void add(const std::string& name, const std::string& component_name) {
    if (component_name == "spa_loader" || component_name == "spa_log_writer" || component_name == "spa_label_writer") {
      return;
    }
    std::unique_ptr<Instance> instance = make_component(component_name);
    if (!instance) fail("no component " + component_name);
    for (auto& port : instance->ports) ports_[name + "." + port.first] = port.second;
    instances_[name] = std::move(instance);
  }

  void connect(const std::string& from, const std::string& to) {
    ihc::Port *source = find(from), *sink = find(to);
    if (source->sink() || !sink->sink()) fail("not from source to sink: " + from + " " + to);
    if (source->type() != sink->type()) fail("other types: " + from + " " + to);
    if (!connected_.insert({from, true}).second) fail(from + " is connected twice");
    if (!connected_.insert({to, true}).second) fail(to + " is connected twice");
    const std::shared_ptr<ihc::Wire> wire = sink->wire();
    source->connect(wire);
    sink->connect(wire);
  }

  ihc::Port* find(const std::string& name) {
    auto port = ports_.find(name);
    if (port == ports_.end()) fail("no port " + name);
    return port->second;
  }

  static std::unique_ptr<Instance> make_component(const std::string& name) {
#define SPA_COMPONENT_ENTRY(function, ...) \
  if (name == #function) return make(function, std::vector<std::string>{__VA_ARGS__});
    SPA_COMPONENTS
#undef SPA_COMPONENT_ENTRY
    return nullptr;
  }

  std::map<std::string, ihc::Port*> ports_;
  std::map<std::string, bool> connected_;
  std::map<std::string, std::unique_ptr<Instance>> instances_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) fail("usage: emulate NETLIST");
  Started started;
  Netlist netlist(argv[1], started);
  return emulation::serve([&](const emulation::Layout& at, std::vector<spa::Line>& memory,
                              const std::function<void()>& done) {
    emulation::Fibers& fibers = emulation::Fibers::all();
    spa::Line* lines          = memory.data();
    fibers.spawn("loader", [&, lines, at] {
      spa::Memory host(lines);
      spa_loader(started.chain, host, at.program, at.program_lines);
    });
    fibers.spawn("log writer", [&, lines, at, done] {
      spa::Memory host(lines);
      spa_log_writer(started.messages, host, at.ring, at.ring_lines, at.status, at.consumed);
      done();
    });
    fibers.spawn("label writer", [&, lines, at, done] {
      spa::Memory host(lines);
      spa_label_writer(started.labels, host, at.labels, at.label_records);
      done();
    });
  });
}
