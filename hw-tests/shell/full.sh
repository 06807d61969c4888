#!/bin/sh
# Builds the whole accelerator with the given parameters and runs random jobs against the scalar model.
#   full.sh REGS_DIR BUILD_DIR FIRST_JOB JOBS NAME=VALUE...
# REGS_DIR holds the rendered spa_regs.sv and spa_regs.h. VERILATOR names the simulator (5.048 or later).
set -eu
regs=$1 build=$2 first=$3 jobs=$4
shift 4
here=$(cd "$(dirname "$0")" && pwd)
rtl=$here/../../templates/rtl
params="Rows=1 Cols=1 Spus=2 LabelBits=6 SingletonBits=8 EnergyBits=8 PBits=8 UBits=24 CountBits=8 RvCapacity=1024
 S2Capacity=4096 TileWidthMax=64 TileHeightMax=64 ScheduleEntries=64 S2Links=1 Linear=0 PairTable=0
 SingletonTable=0 EdgeWeights=0 CostCapacity=8192 RngShare=1 LogFifoDepth=64 MessageBits=32 LineBits=128"
args='' flags=''
for p in $params; do
  name=${p%%=*} value=${p#*=}
  for o in "$@"; do [ "${o%%=*}" = "$name" ] && value=${o#*=}; done
  args="$args -G$name=$value" flags="$flags -DP_$name=$value"
  case $name in
    Rows) rows=$value ;;
    Cols) cols=$value ;;
    Spus) latency=$((33 + 3 * value)) ;;  # PipelineLatency of spa_array
    LineBits) flags="$flags -DLINE_BITS=$value" ;;
    MessageBits) flags="$flags -DMESSAGE_BITS=$value" ;;
  esac
done
mkdir -p "$build"
# Some packages of Verilator leave out the flag that makes the compiler take the precompiled header.
# shellcheck disable=SC2086
"${VERILATOR:-verilator}" --cc --exe --build -O3 --x-initial unique -Wno-fatal --top-module spa_top --Mdir "$build" \
  -MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include -o full $args -GPipelineLatency=$latency -y "$rtl" \
  -CFLAGS "-std=c++20 -O1 -I$here -I$regs $flags -DSPES=$((rows * cols))" \
  "$regs/spa_regs.sv" "$rtl/spa_top.sv" "$here/full.cpp" >"$build/build.log" 2>&1 ||
  { tail -40 "$build/build.log" >&2; exit 1; }
"$build/full" "$first" "$jobs"
