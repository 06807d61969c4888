# spa_spe: one SPE as a composed component of Platform Designer: the components of Figure 3.5 and the streams between
# them

package require qsys

set_module_property NAME spa_spe
set_module_property VERSION 1.0
set_module_property GROUP "Stochastic processing"
set_module_property DISPLAY_NAME "Stochastic processing element"
set_module_property COMPOSITION_CALLBACK compose

# i++ names the Platform Designer module of a component COMPONENT_internal; older releases just COMPONENT.
add_parameter SUFFIX STRING _internal

# instance -> component
set components {
  scheduler    spa_scheduler
  s1mem        spa_s1mem
  s2mem        spa_s2mem
  s2_switch    spa_s2_switch
  bmem         spa_bmem
  wmem         spa_wmem
  label_switch spa_label_switch
  energy       spa_energy
  weight       spa_weight
  draw         spa_draw
  select       spa_select
  entry_mem    spa_entry_mem
  label_reader spa_label_reader
}

# source -> sink
set streams {
  scheduler.own          s1mem.chain
  s1mem.onward           s2mem.chain
  s2mem.onward           s2_switch.chain
  s2_switch.onward       bmem.chain
  bmem.onward            wmem.chain
  wmem.onward            label_switch.chain
  label_switch.onward    energy.chain
  energy.onward          weight.chain
  weight.onward          draw.chain
  draw.onward            select.chain
  select.onward          entry_mem.chain
  entry_mem.onward       label_reader.chain

  scheduler.s1           s1mem.read
  scheduler.s2           s2mem.read
  scheduler.s2_turn      s2_switch.turn
  scheduler.black_read   bmem.read
  scheduler.white_read   wmem.read
  scheduler.label_turn   label_switch.turn
  scheduler.surroundings energy.surroundings
  scheduler.walk         energy.walk
  scheduler.entries      weight.entries
  scheduler.counters     draw.counters
  scheduler.black_write  bmem.write
  scheduler.white_write  wmem.write
  scheduler.entry_write  entry_mem.write

  s1mem.samples          energy.s1
  s1mem.keep             select.keep
  s2mem.samples          s2_switch.banks
  s2_switch.samples      energy.s2
  bmem.banks             label_switch.black
  wmem.banks             label_switch.white
  label_switch.neighbours energy.neighbours
  energy.energies        weight.energies
  energy.least           weight.least
  weight.weights         select.weights
  weight.sums            draw.sums
  draw.draws             select.draws
  select.black           bmem.labels
  select.white           wmem.labels
  select.entry           entry_mem.labels
  bmem.readback          label_reader.black
  wmem.readback          label_reader.white
}

# interface of the SPE -> direction and port inside
set exports {
  chain    end   scheduler.chain
  onward   start scheduler.onward
  behind   end   label_reader.behind
  labels   start label_reader.labels
  messages start entry_mem.messages
}
foreach side {left right up down} {
{%- if links %}
  lappend exports s2_from_$side end s2_switch.from_$side s2_to_$side start s2_switch.to_$side
{%- endif %}
  lappend exports black_from_$side end bmem.from_$side black_to_$side start bmem.to_$side
  lappend exports white_from_$side end wmem.from_$side white_to_$side start wmem.to_$side
}

proc compose {} {
  global components streams exports
  set suffix [get_parameter_value SUFFIX]

  add_instance clock altera_clock_bridge
  add_instance reset altera_reset_bridge
  set_instance_parameter_value reset ACTIVE_LOW_RESET 1
  add_connection clock.out_clk reset.clk
  add_interface clock clock end
  set_interface_property clock EXPORT_OF clock.in_clk
  add_interface reset reset end
  set_interface_property reset EXPORT_OF reset.in_reset

  foreach {instance component} $components {
    add_instance $instance $component$suffix
    add_connection clock.out_clk $instance.clock
    add_connection reset.out_reset $instance.reset
  }
  foreach {source sink} $streams {
    add_connection $source $sink
  }
  foreach {interface direction port} $exports {
    add_interface $interface avalon_streaming $direction
    set_interface_property $interface EXPORT_OF $port
  }
}
