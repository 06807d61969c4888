#!/bin/sh
# Builds the shell with the stand-in array for one parameter set and runs its tests.
#   run.sh LINE_BITS MESSAGE_BITS ROWS COLS REGS_DIR BUILD_DIR [SEED]
# REGS_DIR holds the rendered spa_regs.sv and spa_regs.h. VERILATOR names the simulator (5.048 or later).
set -eu
line=$1 message=$2 rows=$3 cols=$4 regs=$5 build=$6 seed=${7:-1}
here=$(cd "$(dirname "$0")" && pwd)
rtl=$here/../../templates/rtl
mkdir -p "$build"
"${VERILATOR:-verilator}" --cc --exe --build -O3 --x-initial unique -Wno-fatal --top-module spa_top \
  --Mdir "$build" -o tb \
  -GLineBits="$line" -GMessageBits="$message" -GRows="$rows" -GCols="$cols" -GRvCapacity=1024 \
  -CFLAGS "-std=c++17 -O1 -I$here -I$regs -DLINE_BITS=$line -DMESSAGE_BITS=$message -DSPES=$((rows * cols))" \
  "$rtl/spa_top.sv" "$rtl/spa_control.sv" "$rtl/spa_counter.sv" "$rtl/spa_fifo.sv" "$rtl/spa_dram_hub.sv" \
  "$rtl/spa_hub_tree.sv" "$rtl/spa_message_register.sv" "$rtl/spa_line_builder.sv" "$rtl/spa_log_writer.sv" "$rtl/spa_axi_read.sv" \
  "$rtl/spa_loader.sv" "$rtl/spa_label_reader.sv" "$rtl/spa_slot_issuer.sv" "$rtl/spa_sequencer.sv" \
  "$regs/spa_regs.sv" "$here/stub_array.sv" "$here/tb.cpp" >"$build/build.log" 2>&1 ||
  { tail -40 "$build/build.log" >&2; exit 1; }
"$build/tb" "$seed"
