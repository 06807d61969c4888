// spa_platform: streams, loops and memories in the terms of the Intel HLS compiler (Pro Edition; 24.1 was the last)
//
// Up to about release 22.1 hosts were called masters and agents slaves: define SPA_INTEL_OLD_NAMES for those.
#pragma once

#include "HLS/hls.h"
#include "HLS/ac_int.h"

#include "spa_config.hpp"

// ---------------------------------------------------------------- loops and memories
#define SPA_PRAGMA(text) _Pragma(#text)
#define SPA_PIPELINE(n)  SPA_PRAGMA(ii n)
#define SPA_UNROLL       SPA_PRAGMA(unroll)
#define SPA_IVDEP        SPA_PRAGMA(ivdep)   // iterations of the next loop never meet at one address

// An array whose last dimension is the bank: one port to read and one to write, both at the clock of the component.
#define SPA_BANKED(banks, width) \
  hls_memory hls_singlepump hls_simple_dual_port_memory hls_numbanks(banks) hls_bankwidth(width)
#define SPA_MEMORY               hls_memory hls_singlepump hls_simple_dual_port_memory
#define SPA_COPIES(n)            hls_memory hls_singlepump hls_max_replicates(n)
#define SPA_REGISTERS            hls_register

// What a component keeps between calls. A simulation with several instances of a component redefines both.
#ifndef SPA_STATE
#define SPA_STATE(type, name) static type name
#define SPA_POLL()
#endif

// ---------------------------------------------------------------- components
#define SPA_COMPONENT hls_always_run_component hls_max_concurrency(1) component

#ifdef SPA_INTEL_OLD_NAMES
#define SPA_REGISTER_ARGUMENT  hls_avalon_slave_register_argument
#define SPA_STARTED_COMPONENT  hls_avalon_slave_component component
#else
#define SPA_REGISTER_ARGUMENT  hls_avalon_agent_register_argument
#define SPA_STARTED_COMPONENT  hls_avalon_agent_component component
#endif

namespace spa {

struct Line;

// ---------------------------------------------------------------- streams
template <class T, int Depth = 4>
using In = ihc::stream_in<T, ihc::buffer<Depth>>;
template <class T>
using Out = ihc::stream_out<T>;

template <class Stream>
auto get(Stream& stream) -> decltype(stream.read()) { return stream.read(); }
template <class Stream, class T>
void put(Stream& stream, const T& value) { stream.write(value); }
template <class Stream, class T>
bool try_get(Stream& stream, T& value) {
  bool success = false;
  const T read = stream.tryRead(success);
  if (success) value = read;
  return success;
}

// ---------------------------------------------------------------- memory of the card, by lines
#ifdef SPA_INTEL_OLD_NAMES
typedef ihc::mm_master<Line, ihc::dwidth<kLineBits>, ihc::awidth<64>, ihc::latency<0>, ihc::waitrequest<true>,
                       ihc::maxburst<16>>
#else
typedef ihc::mm_host<Line, ihc::dwidth<kLineBits>, ihc::awidth<64>, ihc::latency<0>, ihc::waitrequest<true>,
                     ihc::maxburst<16>>
#endif
    Memory;

}  // namespace spa
