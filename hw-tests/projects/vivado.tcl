# Stands in for Vivado: runs build.tcl, prints "net SOURCE SINK", "bus MASTER SLAVE" and "space MASTER SLAVE OFFSET", and
# refuses commands, options, cells, pins and properties that Vivado does not have, connections of wrong directions, and a
# design with clocks, resets or buses left open. Everything of ours is in the namespace `stand_in`.
#
#   tclsh vivado.tcl SCRIPT [ARGUMENT]

namespace eval stand_in {
  variable script [file normalize [lindex $argv 0]]
  variable cells {}
  variable driver {}
  variable properties {}
  variable runs {}

  # Pins by kind of cell: inputs that must be driven, outputs; buses as master and slave; properties.
  variable kinds {
    xilinx.com:ip:processing_system7:5.5 {
      inputs {M_AXI_GP0_ACLK S_AXI_HP0_ACLK} outputs {FCLK_CLK0 FCLK_RESET0_N}
      masters {M_AXI_GP0} slaves {S_AXI_HP0}
      properties {PCW_USE_M_AXI_GP0 PCW_USE_S_AXI_HP0 PCW_S_AXI_HP0_DATA_WIDTH PCW_FPGA0_PERIPHERAL_FREQMHZ}
      spaces {Data} segments {S_AXI_HP0/HP0_DDR_LOWOCM}
    }
    xilinx.com:ip:smartconnect:1.0 {
      inputs {aclk aresetn} outputs {} masters {M00_AXI} slaves {S00_AXI}
      properties {NUM_SI NUM_MI NUM_CLKS} spaces {} segments {}
    }
    xilinx.com:ip:proc_sys_reset:5.0 {
      inputs {slowest_sync_clk ext_reset_in} outputs {interconnect_aresetn peripheral_aresetn}
      masters {} slaves {} properties {} spaces {} segments {}
    }
  }

  proc refuse {text} {
    puts stderr "Vivado would refuse: $text"
    exit 1
  }

  # Splits arguments into options and the rest: `allowed` names options, with 1 if a value follows.
  proc options {arguments allowed} {
    set given {}
    set rest {}
    while {[llength $arguments] > 0} {
      set arguments [lassign $arguments word]
      if {![string match -* $word]} { lappend rest $word; continue }
      if {![dict exists $allowed $word]} { refuse "option $word" }
      if {[dict get $allowed $word]} {
        if {[llength $arguments] == 0} { refuse "option $word without a value" }
        set arguments [lassign $arguments value]
        dict set given $word $value
      } else { dict set given $word 1 }
    }
    return [list $given $rest]
  }

  # The kind of a module: pins and buses from its ports, which tell buses by `PREFIX_awvalid`.
  proc module {name} {
    variable sources
    foreach file $sources {
      if {[file rootname [file tail $file]] ne $name} { continue }
      if {[file extension $file] ne ".v"} { refuse "$file is no plain Verilog, but the top of a module reference" }
      set text [read [set channel [open $file]]]
      close $channel
      set kind {inputs {} outputs {} masters {} slaves {} properties {} spaces {} segments {}}
      foreach {all direction port} [regexp -all -inline {(input|output)\s+wire\s+(?:\[[^\]]+\]\s+)?(\w+)} $text] {
        if {[regexp {^(\w+)_awvalid$} $port all bus]} {
          if {$direction eq "output"} {
            dict lappend kind masters $bus
            dict lappend kind spaces $bus
          } else {
            dict lappend kind slaves $bus
            dict lappend kind segments $bus/reg0
          }
        } elseif {![regexp {^[ms]_axi} $port]} {
          dict lappend kind [expr {$direction eq "input" ? "inputs" : "outputs"}] $port
        }
      }
      return $kind
    }
    refuse "no source of module $name"
  }

  proc cell {name kind} {
    variable cells
    if {[dict exists $cells $name]} { refuse "two cells $name" }
    dict set cells $name $kind
    return $name
  }

  proc part_of {path list} {
    variable cells
    set parts [split $path /]
    set name [lindex $parts 0]
    if {![dict exists $cells $name]} { refuse "no cell $name" }
    set rest [join [lrange $parts 1 end] /]
    foreach key $list {
      if {$rest in [dict get $cells $name $key]} { return $key }
    }
    refuse "cell $name has no $rest among its [join $list { and }]"
  }

  proc drive {source sink} {
    variable driver
    if {[dict exists $driver $sink]} { refuse "$sink is driven twice" }
    dict set driver $sink $source
  }
}

# ---------------------------------------------------------------- project
proc version {option} {
  if {$option ne "-short"} { stand_in::refuse "version $option" }
  return 2023.2
}
proc get_board_parts {args} {
  stand_in::options $args {-quiet 0}
  return $::env(BOARD_PARTS)
}
proc create_project {args} {
  lassign [stand_in::options $args {-part 1 -force 0}] given rest
  if {[llength $rest] != 2 || [dict get $given -part] ne "xc7z020clg400-1"} { stand_in::refuse "create_project $args" }
}
proc current_project {} { return project }
proc get_filesets {name} {
  if {$name ni {sources_1 constrs_1 sim_1}} { stand_in::refuse "file set $name" }
  return $name
}
proc add_files {args} {
  lassign [stand_in::options $args {-norecurse 0 -fileset 1}] given rest
  foreach file [concat {*}$rest] {
    if {$file ne "system_wrapper.v" && ![file isfile $file]} { stand_in::refuse "no file $file" }
    lappend stand_in::sources $file
  }
}
proc update_compile_order {args} { stand_in::options $args {-fileset 1} }
proc get_files {name} {
  if {$name ne "system.bd"} { stand_in::refuse "no file $name in the project" }
  return $name
}
proc set_property {args} {
  lassign [stand_in::options $args {-dict 1}] given rest
  if {[dict exists $given -dict]} {
    lassign $rest object
    foreach {name value} [dict get $given -dict] {
      set name [regsub {^CONFIG\.} $name {}]
      if {$name ni [dict get $stand_in::cells $object properties]} { stand_in::refuse "property $name of $object" }
      dict set stand_in::properties $object.$name $value
    }
    return
  }
  lassign $rest name value object
  if {"$name $object" ni {"board_part project" "top sources_1"}} { stand_in::refuse "property $name of $object" }
}

# ---------------------------------------------------------------- block design
proc create_bd_design {name} {}
proc create_bd_cell {args} {
  lassign [stand_in::options $args {-type 1 -vlnv 1 -reference 1}] given rest
  lassign $rest name
  switch [dict get $given -type] {
    ip {
      set vlnv [dict get $given -vlnv]
      if {![dict exists $stand_in::kinds $vlnv]} { stand_in::refuse "no core $vlnv" }
      return [stand_in::cell $name [dict get $stand_in::kinds $vlnv]]
    }
    module { return [stand_in::cell $name [stand_in::module [dict get $given -reference]]] }
    default { stand_in::refuse "cell of type [dict get $given -type]" }
  }
}
proc apply_bd_automation {args} {
  lassign [stand_in::options $args {-rule 1 -config 1}] given rest
  if {[dict get $given -rule] ne "xilinx.com:bd_rule:processing_system7"} { stand_in::refuse "rule [dict get $given -rule]" }
  dict get [dict get $given -config] make_external
  if {![dict exists $stand_in::cells [lindex $rest 0]]} { stand_in::refuse "no cell [lindex $rest 0]" }
}
proc get_bd_pins {path} {
  stand_in::part_of $path {inputs outputs}
  return $path
}
proc get_bd_intf_pins {path} {
  stand_in::part_of $path {masters slaves}
  return $path
}
proc get_bd_addr_spaces {path} {
  stand_in::part_of $path spaces
  return $path
}
proc get_bd_addr_segs {path} {
  stand_in::part_of $path segments
  return $path
}
proc connect_bd_net {source args} {
  if {[stand_in::part_of $source {inputs outputs}] ne "outputs"} { stand_in::refuse "$source drives nothing" }
  foreach sink $args {
    if {[stand_in::part_of $sink {inputs outputs}] ne "inputs"} { stand_in::refuse "two outputs, $source and $sink" }
    stand_in::drive $source $sink
    puts "net $source $sink"
  }
}
proc connect_bd_intf_net {master slave} {
  if {[stand_in::part_of $master {masters slaves}] ne "masters"} { stand_in::refuse "$master is no master" }
  if {[stand_in::part_of $slave {masters slaves}] ne "slaves"} { stand_in::refuse "$slave is no slave" }
  stand_in::drive $slave $master
  stand_in::drive $master $slave
  puts "bus $master $slave"
}
proc assign_bd_address {args} {
  lassign [stand_in::options $args {-offset 1 -range 1 -target_address_space 1}] given rest
  set offset -
  if {[dict exists $given -offset]} { set offset [dict get $given -offset] }
  puts "space [dict get $given -target_address_space] [lindex $rest 0] $offset"
}
proc validate_bd_design {} {
  dict for {name kind} $stand_in::cells {
    foreach key {inputs masters slaves} {
      foreach pin [dict get $kind $key] {
        if {![dict exists $stand_in::driver $name/$pin]} { stand_in::refuse "$name/$pin is open" }
      }
    }
  }
}
proc save_bd_design {} {}
proc make_wrapper {args} {
  lassign [stand_in::options $args {-files 1 -top 0}] given
  return system_wrapper.v
}

# ---------------------------------------------------------------- runs
proc launch_runs {run args} {
  if {$run ni {synth_1 impl_1}} { stand_in::refuse "run $run" }
  stand_in::options $args {-jobs 1 -to_step 1}
  lappend stand_in::runs $run
}
proc wait_on_run {run} {
  if {$run ni $stand_in::runs} { stand_in::refuse "run $run was not launched" }
}
proc get_runs {run} {
  if {$run ni {synth_1 impl_1}} { stand_in::refuse "run $run" }
  return $run
}
proc open_run {run} { wait_on_run $run }
proc get_timing_paths {args} {
  stand_in::options $args {-max_paths 1}
  return path
}
proc get_property {name object} {
  switch "$name $object" {
    "PROGRESS synth_1" - "PROGRESS impl_1" { return [expr {[info exists ::env(RUN_FAILS)] ? "50%" : "100%"}] }
    "DIRECTORY synth_1" - "DIRECTORY impl_1" { return [file join runs $object] }
    "SLACK path" { return 0.5 }
    default { stand_in::refuse "property $name of $object" }
  }
}
proc report_utilization {args} { stand_in::options $args {-hierarchical 0 -file 1} }
proc report_timing_summary {args} { stand_in::options $args {-file 1} }

# Files that Vivado would have made.
proc glob {args} {
  lassign [stand_in::options $args {-nocomplain 0}] given rest
  return [string map {* spa_pynq_z2 {{gen,srcs}} gen} [lindex $rest 0]]
}
rename file stand_in_file
proc file {subcommand args} {
  if {$subcommand ne "copy"} { return [stand_in_file $subcommand {*}$args] }
  puts "copy [stand_in_file tail [lindex $args end-1]] [stand_in_file tail [lindex $args end]]"
}

set argv [lrange $argv 1 end]
source $stand_in::script
