#!/usr/bin/env bash
# GPU: the compiler library, the tests, the figures of docs/performance.md.
#
#   scripts/gpu.sh --tools    put NVRTC 13.0 from PyPI into .tools/cuda (about 100 MB; no card needed)
#   scripts/gpu.sh            on a machine with a card: tests, then all figures and hashes into out/gpu/
#
# DATA names the folder of pictures (default ../shared/data).
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --tools ]; then
  if [ -f .tools/cuda/nvidia/cu13/lib/libnvrtc.so.13 ]; then
    echo "gpu: NVRTC is in .tools/cuda"
    exit 0
  fi
  python3 -m pip install --quiet --target .tools/cuda "nvidia-cuda-nvrtc==13.0.*" ||
    { echo "gpu: PyPI cannot be reached; without NVRTC the kernel tests are skipped" >&2; exit 1; }
  exit 0
fi

command -v nvidia-smi >/dev/null || { echo "gpu: no nvidia-smi here: this script needs a card" >&2; exit 1; }
data=${DATA:-../shared/data}
out=out/gpu
mkdir -p "$out"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$out/card.txt"
cargo test --release --locked -p spa-runtime --test cuda_compile --test cuda_card -- --nocapture
spa() { cargo run --release --locked --quiet -p spa-runtime -- "$@"; }
spa bench --data "$data" --json "$out/bench.json" | tee "$out/bench.txt"
for chains in 4 8 16; do
  spa bench --data "$data" --workload teddy --kernel dense,sparse,auto --chains $chains --json "$out/teddy-$chains.json" |
    tee "$out/teddy-$chains.txt"
done
spa bench --data "$data" --workload aloe --kernel auto --iterations 1500 --json "$out/aloe-1500.json" | tee "$out/aloe-1500.txt"
