#!/usr/bin/env bash
# GPU: the compiler library, the tests, the figures of docs/performance.md.
#
#   scripts/gpu.sh --tools         put NVRTC 13.0 from PyPI into .tools/cuda (about 100 MB; no card needed)
#   scripts/gpu.sh --pack FOLDER   build what the steps run and put it into FOLDER (no card needed)
#   scripts/gpu.sh [STEP…]         on a machine with a card: all steps, or some: tests, kernels, batches, parts, counters,
#                                  energy, cards, edgs, edgs15, fig317; tables, JSON and hashes go into out/gpu/
#
# PROGRAMS names a folder that --pack has filled: then nothing is built, and the machine needs neither Rust nor a network.
# DATA names the folder of pictures (default ../shared/data), OUT that of the results.
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

tests=(--test cuda_card --test cuda_process)
if [ "${1:-}" = --pack ]; then
  folder=${2:?gpu: --pack needs a folder}
  mkdir -p "$folder"
  # Builds `spa`, too: one of the tests runs it.
  built=$(cargo test --release --locked -p spa-runtime "${tests[@]}" --no-run 2>&1) || { echo "$built" >&2; exit 1; }
  strip -o "$folder/spa" target/release/spa
  for test in cuda_card cuda_process; do
    strip -o "$folder/$test" "$(sed -n "s/.*tests\/$test.rs (\(.*\))/\1/p" <<<"$built")"
  done
  echo "gpu: $folder has spa, cuda_card and cuda_process"
  exit 0
fi

command -v nvidia-smi >/dev/null || { echo "gpu: no nvidia-smi here: this script needs a card" >&2; exit 1; }
PROGRAMS=${PROGRAMS:+$(realpath "$PROGRAMS")}
data=${DATA:-../shared/data}
out=${OUT:-out/gpu}
mkdir -p "$out"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$out/card.txt"
spa() {
  if [ -n "${PROGRAMS:-}" ]; then "$PROGRAMS/spa" "$@"; else cargo run --release --locked --quiet -p spa-runtime -- "$@"; fi
}
bench() { # NAME OPTIONS…: a table and JSON
  local name=$1
  shift
  spa bench --data "$data" --json "$out/$name.json" "$@" | tee "$out/$name.txt"
}

step_tests() {
  if [ -n "${PROGRAMS:-}" ]; then
    for test in cuda_card cuda_process; do SPA_PROGRAM=$PROGRAMS/spa "$PROGRAMS/$test" --nocapture; done
  else
    cargo test --release --locked -p spa-runtime --test cuda_compile "${tests[@]}" -- --nocapture
  fi
}

step_kernels() {
  bench all
  # Frames a second at full HD with 1,500 iterations.
  bench aloe-1500 --workload aloe --kernel auto --iterations 1500
}

step_batches() {
  for chains in 4 8 16; do
    bench "teddy-$chains" --workload teddy --kernel dense,sparse,auto --chains $chains
  done
  bench small-2 --workload teddy,tsukuba,rubberwhale,venus --kernel dense,sites,auto --chains 2
  bench aloe-4 --workload aloe --kernel dense,auto --chains 4
}

# The parts of a half-step apart.
step_parts() {
  for part in updates waiting memory; do
    bench "without-$part" --workload teddy,tsukuba,aloe --kernel dense,sparse --without $part
    bench "without-$part-small" --workload teddy,rubberwhale,venus,segment --kernel sites,dealt --without $part
  done
  # What of the gain of small pictures is skipping, and what another kernel.
  bench without-skipping --workload teddy,tsukuba,segment,rubberwhale,venus --kernel dense,dealt,sparse --without skipping
}

# Instructions and bytes a label, where NVIDIA's profiler is there.
step_counters() {
  if command -v ncu >/dev/null; then
    bench counters --workload aloe,teddy --kernel baseline,dense,sparse,auto --repeats 1 --counters
  else
    echo "gpu: no ncu here: instructions and bytes a label are not counted" >&2
  fi
}

# Labels a joule: runs long enough for the card's energy counter.
step_energy() {
  bench energy-teddy --workload teddy --kernel baseline,dense,auto --iterations 60000 --repeats 1
  bench energy-teddy-8 --workload teddy --kernel dense,auto --chains 8 --iterations 20000 --repeats 1
  bench energy-aloe --workload aloe --kernel baseline,dense,auto --iterations 10000 --repeats 1
}

# Several cards: chains of one picture, and a folder of pictures, with one card and with all; equal hashes.
step_cards() {
  local all
  all=$(nvidia-smi --query-gpu=index --format=csv,noheader | paste -sd,)
  if [ "$all" = 0 ]; then
    echo "gpu: one card here: several are not measured" >&2
    return
  fi
  local cards name from to photo
  mkdir -p "$out/photos"
  for photo in "$data"/segmentation/*/image.jpg; do cp "$photo" "$out/photos/$(basename "$(dirname "$photo")").jpg"; done
  # The first round compiles.
  for cards in 0 0 "$all"; do
    name=$out/cards-$cards
    CUDA_VISIBLE_DEVICES=$cards spa stereo "$data/stereo/teddy" --labels 56 --chains 16 --iterations 4000 --burn-in 3900 --backend cuda --json \
      -o "$name-chains" >"$name-chains.json"
    from=$(date +%s%N)
    CUDA_VISIBLE_DEVICES=$cards spa segment "$out/photos" --labels 8 --iterations 4000 --burn-in 3900 --backend cuda -o "$name-folder" >"$name-folder.txt"
    to=$(date +%s%N)
    echo "cards $cards: chains $(grep -m1 -oE '"wall_seconds":[^,]*' "$name-chains.json"), folder $(((to - from) / 1000000)) ms"
  done | tee "$out/cards.txt"
  diff -r -x summary.json -x trace.json "$out/cards-0-chains" "$out/cards-$all-chains"
  diff -r -x summary.json "$out/cards-0-folder" "$out/cards-$all-folder" && echo "gpu: all files are equal"
}

# Chapter 4: the exploration of the event-driven variants.
edgs() { # NAME OPTIONS…
  local name=$1
  shift
  spa study edgs "$@" -o "$out/edgs-$name" | tee "$out/edgs-$name.txt"
}
step_edgs() {
  edgs stereo "$data/stereo/teddy:56" "$data/stereo/tsukuba" --windows 7 --explore-iterations 200
  edgs flow7 "$data/flow/rubberwhale" "$data/flow/venus" --windows 7 --explore-iterations 200
  edgs segment --segment "$data/segmentation/3096" --segment "$data/segmentation/101085"
}
step_edgs15() {
  edgs flow15 "$data/flow/rubberwhale" --windows 15 --explore-iterations 40
}

# Fig. 3.17: the runs of Table 3.2 on the pictures that there are at their size.
run() { # NAME COMMAND PICTURE PICTURE OPTIONS…
  local name=$1
  shift
  spa "$@" --iterations 3000 --burn-in 2000 --singleton-bits 6 --cap 255 --data-cap 65535 --start random --backend cuda --json \
    -o "$out/$name" >"$out/$name.json"
  grep -E '"(width|height|labels|wall_seconds)":' "$out/$name.json" | tr -d '\n'
  echo " $name"
}
smaller() { # PICTURE WIDTH HEIGHT: name of a smaller copy
  local to
  to=$out/$2x$3-$(basename "$1")
  python3 -c 'import sys; from PIL import Image
a, b, w, h = sys.argv[1:]
Image.open(a).resize((int(w), int(h)), Image.BOX).save(b)' "$1" "$to" "$2" "$3" && echo "$to"
}
step_fig317() {
  {
    run fig317-teddy stereo "$data"/stereo/teddy/im{2,6}.png --labels 56 --alpha 6 --beta 7 --temperature 2 --outside 2
    for scene in dimetrodon rubberwhale; do
      run fig317-$scene flow "$data"/flow/$scene/frame1{0,1}.png --alpha 6 --beta 6 --temperature 1 --outside 63
    done
    # Times need the paper's sizes; Pillow makes them.
    if python3 -c 'import PIL' 2>/dev/null; then
      run fig317-art stereo "$(smaller "$data/stereo/art/view1.png" 348 278)" "$(smaller "$data/stereo/art/view5.png" 348 278)" \
        --labels 28 --alpha 6 --beta 7 --temperature 2 --outside 2
      run fig317-venus flow "$(smaller "$data/flow/venus/frame10.png" 210 190)" \
        "$(smaller "$data/flow/venus/frame11.png" 210 190)" --alpha 6 --beta 6 --temperature 1 --outside 63
    else
      echo "gpu: no Pillow for python3: art and venus at the size of Table 3.2 are left out" >&2
    fi
  } | tee "$out/fig317.txt"
}

all=(tests kernels batches parts counters energy cards edgs edgs15 fig317)
[ $# -gt 0 ] || set -- "${all[@]}"
for step in "$@"; do
  case " ${all[*]} " in
    *" $step "*) "step_$step" ;;
    *) echo "gpu: no step '$step'; there are ${all[*]}" >&2; exit 1 ;;
  esac
done
