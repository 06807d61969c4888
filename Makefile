# The two commands of the README, and what they are made of.
export SPAGEN_TOOLS ?= $(CURDIR)/.tools
# Python packages that only tests use live there.
export PATH := $(CURDIR)/.tools/py/bin:$(PATH)

.PHONY: demo test setup lint unit cosim clean

# From nothing to pictures: tools, build, a 16x2 array, a simulated run, the same on the CPU, and the comparison.
demo:
	@bash scripts/demo.sh

# Everything that CI runs.
test: setup lint unit

# Installs what is missing, or says how.
setup:
	@bash scripts/setup.sh --test

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

# Release: simulation and samplers are slow without optimisation, and the demo shares the build.
unit:
	cargo test --workspace --release --locked

# The long sweep: at least 200 random combinations of build and job, CPU against the simulated card (docs/cosim.md).
cosim: setup
	cargo run --release --locked -p hw-tests --bin cosim -- --count 200

clean:
	rm -rf build out
	cargo clean
