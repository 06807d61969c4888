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
cargo test --release --locked -p spa-runtime --test cuda_compile --test cuda_card --test cuda_process -- --nocapture
spa() { cargo run --release --locked --quiet -p spa-runtime -- "$@"; }
bench() { # NAME OPTIONS…: a table and JSON
  local name=$1
  shift
  spa bench --data "$data" --json "$out/$name.json" "$@" | tee "$out/$name.txt"
}
bench all
for chains in 4 8 16; do
  bench "teddy-$chains" --workload teddy --kernel dense,dense-tiles,sparse,sparse-tiles,auto --chains $chains
done
# Frames a second at full HD: one stream with 1,500 iterations, a batch of four.
bench aloe-1500 --workload aloe --kernel auto --iterations 1500
bench aloe-4 --workload aloe --kernel dense,auto --chains 4
# The parts of a half-step apart.
for part in updates waiting memory; do
  bench "without-$part" --workload teddy,tsukuba,aloe --kernel dense,dense-tiles,sparse,sparse-tiles --without $part
done
# Labels a joule: runs long enough for the card's energy counter.
bench energy-teddy --workload teddy --kernel baseline,dense,auto --iterations 60000 --repeats 1
bench energy-teddy-8 --workload teddy --kernel dense,auto --chains 8 --iterations 20000 --repeats 1
bench energy-aloe --workload aloe --kernel baseline,dense,auto --iterations 10000 --repeats 1
# Chapter 4: the exploration of the event-driven variants.
edgs() { # NAME OPTIONS…
  local name=$1
  shift
  spa study edgs "$@" -o "$out/edgs-$name" | tee "$out/edgs-$name.txt"
}
edgs stereo "$data/stereo/teddy:56" "$data/stereo/tsukuba" --windows 7 --explore-iterations 200
edgs flow7 "$data/flow/rubberwhale" "$data/flow/venus" --windows 7 --explore-iterations 200
edgs flow15 "$data/flow/rubberwhale" --windows 15 --explore-iterations 40
edgs segment --segment "$data/segmentation/3096" --segment "$data/segmentation/101085"
# Fig. 3.17: the runs of Table 3.2 on the pictures that there are at their size.
run() { # NAME COMMAND PICTURE PICTURE OPTIONS…
  local name=$1
  shift
  spa "$@" --iterations 3000 --burn-in 2000 --singleton-bits 6 --cap 255 --data-cap 65535 --start random --backend cuda --json \
    -o "$out/$name" >"$out/$name.json"
  grep -E '"(width|height|labels|wall_seconds)":' "$out/$name.json" | tr -d '\n'
  echo " $name"
}
{
  run fig317-teddy stereo "$data"/stereo/teddy/im{2,6}.png --labels 56 --alpha 6 --beta 7 --temperature 2 --outside 2
  for scene in dimetrodon rubberwhale; do
    run fig317-$scene flow "$data"/flow/$scene/frame1{0,1}.png --alpha 6 --beta 6 --temperature 1 --outside 63
  done
} | tee "$out/fig317.txt"
