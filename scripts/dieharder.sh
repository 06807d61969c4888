#!/usr/bin/env bash
# Runs the dieharder battery on the random words of the contract, in one order or in all four.
#
# usage: [JOBS=N] [OUT_DIR=DIR] scripts/dieharder.sh [x|y|iteration|seed ...]
#
# Every test of `dieharder -a`, with every n-tuple size, is a process of its own on a fresh stream, JOBS at a time. The
# generator runs inside dieharder (model/examples/dieharder_rng.rs takes the place of generator 200); its words are those
# of `rng_stream ORDER`. A test that comes out WEAK is repeated with ten times the samples (-p). Results go to
# DIR/ORDER.txt, repeats to DIR/ORDER-repeat.txt; the exit code is 1 if any test FAILED. An order takes about half an hour of one core.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v dieharder >/dev/null || { echo "dieharder is missing: apt-get install dieharder" >&2; exit 2; }
out=${OUT_DIR:-out/dieharder}
mkdir -p "$out"
RUSTFLAGS="-C target-cpu=native" cargo build --quiet --release --locked -p spa-model --example dieharder_rng
rng=$PWD/${CARGO_TARGET_DIR:-target}/release/examples/libdieharder_rng.so
[ $# -gt 0 ] || set -- x y iteration seed

# order, test number, n-tuple size (- for the test's own): the longest first.
list() {
  local n d
  for n in $(seq 32 -1 0); do echo "$1 203 $n"; done
  for d in 17 {0..16} 100 101 102 {204..209}; do echo "$1 $d -"; done
  for n in {2..5}; do echo "$1 201 $n"; echo "$1 202 $n"; done
  for n in {1..12}; do echo "$1 200 $n"; done
}

run() { RNG_ORDER=$1 LD_PRELOAD=$rng dieharder -g 200 "${@:2}" | grep -E 'PASSED|WEAK|FAILED' || true; }

one() {
  local order=$1 args=(-d "$2") result samples
  [ "$3" = - ] || args+=(-n "$3")
  result=$(run "$order" "${args[@]}")
  echo "$result" >>"$out/$order.txt"
  if grep -q WEAK <<<"$result"; then
    samples=$(grep -m1 WEAK <<<"$result" | tr -d ' ' | cut -d'|' -f4)
    run "$order" "${args[@]}" -p $((samples * 10)) >>"$out/$order-repeat.txt"
  fi
}
export -f one run
export out rng

failed=0
for order in "$@"; do
  : >"$out/$order.txt"
  : >"$out/$order-repeat.txt"
  list "$order" | xargs -P "${JOBS:-$(nproc)}" -L 1 bash -c 'one "$0" "$1" "$2"'
  count() { grep -c "$1" "$2" || true; }
  echo "$order: $(count PASSED "$out/$order.txt") passed, $(count WEAK "$out/$order.txt") weak, $(count FAILED "$out/$order.txt") failed;" \
    "repeats: $(count PASSED "$out/$order-repeat.txt") passed, $(count WEAK "$out/$order-repeat.txt") weak, $(count FAILED "$out/$order-repeat.txt") failed"
  ! grep -q FAILED "$out/$order.txt" "$out/$order-repeat.txt" || failed=1
done
exit $failed
