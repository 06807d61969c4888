# spa_array: {{ rows }}x{{ cols }} SPEs, their links, command chain and hubs as a system of Platform Designer
#
#   qsys-script --script=spa_array.tcl --search-path="./,prj/**/*,$" [--cmd="set suffix {}"]

package require -exact qsys 18.0

set rows {{ rows }}
set cols {{ cols }}
set spes [expr {$rows * $cols}]

# i++ names the Platform Designer module of a component COMPONENT_internal; older releases just COMPONENT.
if {![info exists suffix]} { set suffix _internal }

create_system spa_array
set_project_property DEVICE_FAMILY {Arria 10}

add_instance clock altera_clock_bridge
add_instance reset altera_reset_bridge
set_instance_parameter_value reset ACTIVE_LOW_RESET 1
add_connection clock.out_clk reset.clk
add_interface clock clock sink
set_interface_property clock EXPORT_OF clock.in_clk
add_interface reset reset sink
set_interface_property reset EXPORT_OF reset.in_reset

proc add {instance component} {
  add_instance $instance $component
  add_connection clock.out_clk $instance.clock
  add_connection reset.out_reset $instance.reset
}

# ---------------------------------------------------------------- SPEs
for {set spe 0} {$spe < $spes} {incr spe} {
  add spe_$spe spa_spe
  set_instance_parameter_value spe_$spe SUFFIX $suffix
}

# Links close around the grid, so that every SPE is the same; what comes around is never used.
set kinds [list black white{% if links %} s2{% endif %}]
for {set row 0} {$row < $rows} {incr row} {
  for {set col 0} {$col < $cols} {incr col} {
    set spe   [expr {$row * $cols + $col}]
    set right [expr {$row * $cols + ($col + 1) % $cols}]
    set down  [expr {($row + 1) % $rows * $cols + $col}]
    foreach kind $kinds {
      add_connection spe_$spe.${kind}_to_right spe_$right.${kind}_from_left
      add_connection spe_$right.${kind}_to_left spe_$spe.${kind}_from_right
      add_connection spe_$spe.${kind}_to_down spe_$down.${kind}_from_up
      add_connection spe_$down.${kind}_to_up spe_$spe.${kind}_from_down
    }
  }
}

# ---------------------------------------------------------------- command chain; it turns around at the last SPE
add loader spa_loader$suffix
add label_writer spa_label_writer$suffix
add_connection loader.chain spe_0.chain
for {set spe 1} {$spe < $spes} {incr spe} {
  add_connection spe_[expr {$spe - 1}].onward spe_$spe.chain
  add_connection spe_$spe.labels spe_[expr {$spe - 1}].behind
}
add_connection spe_[expr {$spes - 1}].onward spe_[expr {$spes - 1}].behind
add_connection spe_0.labels label_writer.labels

# ---------------------------------------------------------------- hubs: a tree of radix 4
set streams {}
for {set spe 0} {$spe < $spes} {incr spe} { lappend streams spe_$spe.messages }
set level 0
while {[llength $streams] > 1} {
  set merged {}
  for {set first 0} {$first < [llength $streams]} {incr first 4} {
    set group [lrange $streams $first [expr {$first + 3}]]
    set hub hub_${level}_[llength $merged]
    add $hub spa_dram_hub_[llength $group]$suffix
    set input 0
    foreach stream $group {
      add_connection $stream $hub.in$input
      incr input
    }
    lappend merged $hub.out
  }
  set streams $merged
  incr level
}
add log_writer spa_log_writer$suffix
add_connection [lindex $streams 0] log_writer.messages

# ---------------------------------------------------------------- host: registers and memory
# One agent for the host, one host for the memory of the card. i++ names the register interface of a component
# avs_cra, its memory interface avmm_0_rw and its interrupt irq.
foreach bridge {registers memory} {
  add_instance $bridge altera_avalon_mm_bridge
  add_connection clock.out_clk $bridge.clk
  add_connection reset.out_reset $bridge.reset
}
set_instance_parameter_value registers DATA_WIDTH 64
set_instance_parameter_value registers ADDRESS_WIDTH 12
set_instance_parameter_value memory DATA_WIDTH {{ line_bits }}
set_instance_parameter_value memory ADDRESS_WIDTH 48
set_instance_parameter_value memory MAX_BURST_SIZE 16
set base 0
foreach component {loader log_writer label_writer} {
  add_connection registers.m0 $component.avs_cra
  set_connection_parameter_value registers.m0/$component.avs_cra baseAddress $base
  incr base 0x400
  add_connection $component.avmm_0_rw memory.s0
  set_connection_parameter_value $component.avmm_0_rw/memory.s0 baseAddress 0
  add_interface ${component}_irq interrupt sender
  set_interface_property ${component}_irq EXPORT_OF $component.irq
}
add_interface registers avalon agent
set_interface_property registers EXPORT_OF registers.s0
add_interface memory avalon host
set_interface_property memory EXPORT_OF memory.m0

save_system spa_array.qsys
