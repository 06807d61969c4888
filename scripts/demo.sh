#!/usr/bin/env bash
# The whole chain on a synthetic stereo pair: generate a 16x2 array, run it under Verilator, run the same job on the
# CPU, and show that labels, histogram and messages agree bit for bit. Pictures are left in out/.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }

# Quick to compile, at some cost in speed (Cargo.toml).
export PROFILE=demo
step "tools"
bash scripts/setup.sh

step "build (minutes: everything is compiled once)"
cargo build --profile $PROFILE --locked -p spagen -p spa-runtime
spagen=target/$PROFILE/spagen
spa=target/$PROFILE/spa

step "generate 16 SPEs with 2 SPUs each into build/"
"$spagen" --spe 16 --spu 2 -o build

step "a synthetic stereo pair with ground truth"
"$spa" synth stereo --size 160x120 --labels 16 --seed 7 -o out/scene

run() {
  "$spa" stereo out/scene/left.png out/scene/right.png --labels 16 --iterations 100 --burn-in 60 --seed 1 \
    --build build --backend "$1" -o "out/$1"
}
step "the simulated card"
run sim
step "the CPU"
run cpu

step "bit for bit"
"$spa" compare out/sim out/cpu

printf '\npictures: out/scene/left.png out/sim/mode.png (depth) out/sim/confidence.png (how sure)\n'
