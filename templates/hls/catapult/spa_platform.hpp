// spa_platform: streams, loops and memories in the terms of Catapult
#pragma once

#include <ac_channel.h>
#include <ac_int.h>
#include <mc_scverify.h>

#include "spa_config.hpp"

// ---------------------------------------------------------------- loops and memories
#define SPA_PRAGMA(text) _Pragma(#text)
#define SPA_PIPELINE(n)  SPA_PRAGMA(hls_pipeline_init_interval n)
#define SPA_UNROLL       SPA_PRAGMA(hls_unroll yes)
#define SPA_IVDEP        // spa.tcl says it: IGNORE_MEMORY_PRECEDENCES

// Catapult maps arrays by directives (spa.tcl).
#define SPA_BANKED(banks, width)
#define SPA_MEMORY
#define SPA_COPIES(n)
#define SPA_REGISTERS

// A block of a hierarchical design runs for ever; in C it is one call, and a read of an empty channel fails. A
// simulation of the whole array puts threads of its own here.
#ifndef SPA_BLOCK
#define SPA_BLOCK(call) call
#define SPA_WAIT(condition)
#define SPA_ROOM(stream)
#define SPA_POLL()
#endif

namespace spa {

struct Line;

// ---------------------------------------------------------------- streams; spa.tcl sets their depths
template <class T, int Depth = 4>
using In = ac_channel<T>;
template <class T>
using Out = ac_channel<T>;

template <class T>
T get(ac_channel<T>& stream) {
  SPA_WAIT(stream.available(1));
  return stream.read();
}
template <class T>
void put(ac_channel<T>& stream, const T& value) {
  SPA_ROOM(stream);
  stream.write(value);
}
template <class T>
bool try_get(ac_channel<T>& stream, T& value) {
  if (stream.nb_read(value)) return true;
  SPA_POLL();
  return false;
}

// ---------------------------------------------------------------- memory of the card, by lines
typedef Line* Memory;

}  // namespace spa
