# Bitstream for the PYNQ-Z2 (Zynq 7020): the accelerator beside the processing system, registers at 0x43C00000, memory by
# the high-performance port HP0.
#
#   vivado -mode batch -source build.tcl                     spa_pynq_z2.bit and spa_pynq_z2.hwh beside this script
#   vivado -mode batch -source build.tcl -tclargs synth      synthesis alone, with its reports
#   vivado -mode batch -source build.tcl -tclargs design     block design alone
#
# Needs the board files of the PYNQ-Z2. Paths are relative to this script, which may be moved with the build around it.

set clock_mhz 100
set registers_base 0x43C00000
set registers_range 64K

set here    [file dirname [file normalize [info script]]]
set build   [file normalize [file join $here .. ..]]
set project [file join $here project]
set part    xc7z020clg400-1

set goal bitstream
if {[llength $argv] > 0} { set goal [lindex $argv 0] }
if {$goal ni {design synth bitstream}} {
  error "goal is '$goal', but must be design, synth or bitstream"
}
if {[package vcompare [lindex [split [version -short] _] 0] 2019.1] < 0} {
  error "Vivado is [version -short], but must be 2019.1 or newer"
}
set board [lindex [get_board_parts -quiet tul.com.tw:pynq-z2:part0:*] end]
if {$board eq ""} {
  error "the board files of the PYNQ-Z2 (tul.com.tw:pynq-z2) are missing: they would have set the memory of the processing system;\
    install them with the Xilinx board store or set board.repoPaths"
}

# ---------------------------------------------------------------- sources
create_project spa_pynq_z2 $project -part $part -force
set_property board_part $board [current_project]

set sources {}
set list [open [file join $build rtl files.f]]
foreach line [split [read $list] "\n"] {
  set line [string trim $line]
  if {$line ne "" && ![string match //* $line]} { lappend sources [file join $build rtl $line] }
}
close $list
lappend sources [file join $build fpga axi spa_axi.v]
add_files -norecurse -fileset [get_filesets sources_1] $sources
update_compile_order -fileset sources_1

# ---------------------------------------------------------------- block design
create_bd_design system

set ps [create_bd_cell -type ip -vlnv xilinx.com:ip:processing_system7:5.5 ps]
apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 \
  -config {make_external "FIXED_IO, DDR" apply_board_preset "1" Master "Disable" Slave "Disable"} $ps
set_property -dict [list \
  CONFIG.PCW_USE_M_AXI_GP0 1 \
  CONFIG.PCW_USE_S_AXI_HP0 1 \
  CONFIG.PCW_S_AXI_HP0_DATA_WIDTH 64 \
  CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ $clock_mhz] $ps

create_bd_cell -type module -reference spa_axi accelerator

# Both convert protocol and width: AXI3 of 32 bits to AXI4-Lite of 64, AXI4 of {{ line_bits }} bits to AXI3 of 64.
foreach name {to_registers to_memory} {
  set cell [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect:1.0 $name]
  set_property -dict [list CONFIG.NUM_SI 1 CONFIG.NUM_MI 1] $cell
}
create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset:5.0 reset

# One clock for everything.
connect_bd_net [get_bd_pins ps/FCLK_CLK0] \
  [get_bd_pins ps/M_AXI_GP0_ACLK] [get_bd_pins ps/S_AXI_HP0_ACLK] \
  [get_bd_pins to_registers/aclk] [get_bd_pins to_memory/aclk] \
  [get_bd_pins reset/slowest_sync_clk] [get_bd_pins accelerator/aclk]
connect_bd_net [get_bd_pins ps/FCLK_RESET0_N] [get_bd_pins reset/ext_reset_in]
connect_bd_net [get_bd_pins reset/interconnect_aresetn] \
  [get_bd_pins to_registers/aresetn] [get_bd_pins to_memory/aresetn]
connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins accelerator/aresetn]

connect_bd_intf_net [get_bd_intf_pins ps/M_AXI_GP0] [get_bd_intf_pins to_registers/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins to_registers/M00_AXI] [get_bd_intf_pins accelerator/s_axil]
connect_bd_intf_net [get_bd_intf_pins accelerator/m_axi] [get_bd_intf_pins to_memory/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins to_memory/M00_AXI] [get_bd_intf_pins ps/S_AXI_HP0]

assign_bd_address -offset $registers_base -range $registers_range \
  -target_address_space [get_bd_addr_spaces ps/Data] [get_bd_addr_segs accelerator/s_axil/reg0]
assign_bd_address -target_address_space [get_bd_addr_spaces accelerator/m_axi] \
  [get_bd_addr_segs ps/S_AXI_HP0/HP0_DDR_LOWOCM]

validate_bd_design
save_bd_design
set design [get_files system.bd]
if {$goal eq "design"} { return }

# ---------------------------------------------------------------- synthesis, placement, bitstream
add_files -norecurse [make_wrapper -files $design -top]
set_property top system_wrapper [get_filesets sources_1]
update_compile_order -fileset sources_1

# Waits for a run; gives its error with the log that explains it.
proc finish {run} {
  wait_on_run $run
  if {[get_property PROGRESS [get_runs $run]] ne "100%"} {
    error "$run failed; see [file join [get_property DIRECTORY [get_runs $run]] runme.log]"
  }
}

launch_runs synth_1 -jobs 4
finish synth_1
open_run synth_1
report_utilization -hierarchical -file [file join $here synth_utilization.rpt]
report_timing_summary -file [file join $here synth_timing.rpt]
if {$goal eq "synth"} { return }

launch_runs impl_1 -to_step write_bitstream -jobs 4
finish impl_1
open_run impl_1
report_utilization -hierarchical -file [file join $here utilization.rpt]
report_timing_summary -file [file join $here timing.rpt]
set slack [get_property SLACK [get_timing_paths -max_paths 1]]
if {$slack < 0} { puts "WARNING: $clock_mhz MHz are missed by [expr {-$slack}] ns; see timing.rpt, or lower clock_mhz" }

file copy -force [file join [get_property DIRECTORY [get_runs impl_1]] system_wrapper.bit] [file join $here spa_pynq_z2.bit]
# Older releases keep it under srcs.
set handoff [lindex [glob [file join $project *.{gen,srcs} sources_1 bd system hw_handoff system.hwh]] 0]
file copy -force $handoff [file join $here spa_pynq_z2.hwh]
