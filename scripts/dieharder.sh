#!/bin/sh
# Runs the dieharder battery on the random words of the contract, in one order or in all four.
#
# usage: scripts/dieharder.sh [x|y|iteration|seed ...]
#
# Every order runs all tests (`dieharder -a -g 200`, raw words on standard input). A test that comes out WEAK is
# repeated with ten times the samples (-p). Results go to out/dieharder/ORDER.txt and ORDER-weak.txt; the exit code is 1 if any test FAILED.
# One order takes an hour or two of one core.
set -eu
cd "$(dirname "$0")/.."
command -v dieharder >/dev/null || { echo "dieharder is missing: apt-get install dieharder" >&2; exit 2; }
out=${OUT_DIR:-out/dieharder}
mkdir -p "$out"
cargo build --quiet --release -p spa-model --example rng_stream
stream=${CARGO_TARGET_DIR:-target}/release/examples/rng_stream
failed=0
[ $# -gt 0 ] || set -- x y iteration seed
for order in "$@"; do
    result=$out/$order.txt
    weak=$out/$order-weak.txt
    "$stream" "$order" | dieharder -a -g 200 >"$result"
    : >"$weak"
    # Columns of a result: name | ntup | tsamples | psamples | p-value | assessment.
    grep WEAK "$result" | tr -d ' ' | while IFS='|' read -r name ntup tsamples psamples _; do
        # Names such as diehard_opso are listed with their numbers by `dieharder -l`.
        number=$(dieharder -l | sed -n "s/^ *-d \([0-9]*\) .*/\1 &/p" | grep -wi -- "$name" | cut -d' ' -f1 | head -n1)
        [ -n "$number" ] || number=$(sed -n "s/^$name //p" scripts/dieharder-tests.txt)
        "$stream" "$order" | dieharder -d "$number" -n "$ntup" -t "$tsamples" -p $((psamples * 10)) -g 200 >>"$weak"
    done
    echo "$order: $(grep -c PASSED "$result") passed, $(grep -c WEAK "$result" || true) weak, $(cat "$result" "$weak" | grep -c FAILED || true) failed"
    ! cat "$result" "$weak" | grep -q FAILED || failed=1
done
exit $failed
