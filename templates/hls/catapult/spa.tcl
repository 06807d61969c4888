# Catapult: compiles the array. Set CLOCK (ns) and LIBRARY in the environment, or change them here.
#
#   catapult -shell -file spa.tcl

proc setting {name default} {
  global env
  return [expr {[info exists env($name)] && $env($name) ne "" ? $env($name) : $default}]
}
set clock   [setting CLOCK 2.0]
set library [setting LIBRARY nangate-45nm_beh]
set here    [file dirname [file normalize [info script]]]

project new -name spa
solution new -state initial
solution options set Input/CppStandard c++14
solution options set Input/SearchPath [list $here [file join $here ..]]
solution options set Output/OutputVHDL false
flow package require /SCVerify

solution file add [file join $here spa_array.cpp] -type C++
go analyze

# Every component is a block of its own; the array and the SPE only connect.
solution design set spa::Array -top
solution design set spa::Spe -block
foreach component {
  Scheduler S1Mem S2Mem S2Switch LabelMem<0> LabelMem<1> LabelSwitch EnergyStage WeightStage DrawStage SelectStage
  EntryMem LabelReader DramHub<1> DramHub<2> DramHub<3> DramHub<4>
} {
  solution design set "spa::$component" -block
}
go compile

solution library add $library -- -rtlsyntool DesignCompiler -vendor Nangate -technology 045nm
solution library add ccs_sample_mem
go libraries
set edges {-CLOCK_EDGE rising -RESET_SYNC_NAME rst_n -RESET_SYNC_ACTIVE low}
directive set -CLOCKS [list clk [concat -CLOCK_PERIOD $clock $edges]]
go assembly

# Streams: deep enough for what is on its way while one component works and the next one waits.
{%- for stream in streams %}
directive set -match glob {{ stream.0 }} -FIFO_DEPTH {{ stream.1 }}
{%- endfor %}

# Memories: a bank for each of the four neighbours, a bank for each SPU.
directive set -match glob /spa::Array/*bank_:rsc -INTERLEAVE 4
directive set -match glob /spa::Array/*s2_:rsc -INTERLEAVE {{ spus }}
directive set -match glob /spa::Array/*cost_:rsc -INTERLEAVE {{ spus }}
directive set -match glob /spa::Array/*current_:rsc -MAP_TO_MODULE {[Register]}
# The same RV comes again after two half-steps.
directive set -match glob /spa::Array/*EntryMem*entry_:rsc -IGNORE_MEMORY_PRECEDENCES {* *}
go architect
go allocate
go extract
