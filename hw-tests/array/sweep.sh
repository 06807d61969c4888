#!/bin/sh
# Builds of many shapes and widths, random jobs on each. usage: sweep.sh FIRST_JOB JOBS
here=$(cd "$(dirname "$0")" && pwd)
first=${1:-0} jobs=${2:-60} failed=0
while read -r build; do
  # shellcheck disable=SC2086
  "$here/run.sh" "$first" "$jobs" $build </dev/null || failed=1
done <<'BUILDS'
Rows=2 Cols=3 Spus=2 RngShare=4
Rows=4 Cols=1 Spus=1 LabelBits=6 RngShare=4 CountBits=3
Rows=2 Cols=2 Spus=4 LabelBits=5 RngShare=2 LogFifoDepth=128
Rows=4 Cols=4 Spus=2 LabelBits=4 RngShare=4 S2Capacity=2048
Rows=1 Cols=1 Spus=1 LabelBits=2 RngShare=1 CountBits=1 PBits=1 UBits=8 EnergyBits=4 SingletonBits=1
Rows=2 Cols=2 Spus=2 LabelBits=8 RngShare=3 EnergyBits=16 UBits=32 CountBits=16 MessageBits=64
Rows=1 Cols=3 Spus=2 S2Links=0 RngShare=2 SingletonBits=6 PBits=4
Rows=2 Cols=2 Spus=2 Linear=1 RngShare=2 EnergyBits=8 ScheduleEntries=64
Rows=1 Cols=2 Spus=1 LabelBits=4 PairTable=1 SingletonTable=1 RngShare=2 EnergyBits=10
Rows=2 Cols=1 Spus=4 LabelBits=3 PairTable=1 SingletonTable=1 RngShare=1 CostCapacity=4096
Rows=1 Cols=1 Spus=8 LabelBits=5 RngShare=1 LogFifoDepth=128
Rows=5 Cols=1 Spus=2 LabelBits=7 RngShare=4 Linear=1 EnergyBits=5 S2Links=0
Rows=2 Cols=2 Spus=2 RngShare=4 RvCapacity=1536 S2Capacity=3000 ScheduleEntries=100
Rows=1 Cols=2 Spus=4 LabelBits=2 RngShare=1 LogFifoDepth=64 CountBits=2
Rows=2 Cols=3 Spus=2 RngShare=4 EdgeWeights=1
Rows=1 Cols=1 Spus=1 LabelBits=3 RngShare=1 EdgeWeights=1 PairTable=1 EnergyBits=16
BUILDS
exit $failed
