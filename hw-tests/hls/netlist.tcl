# Stands in for Platform Designer: runs spa_array.tcl and, for every spa_spe, the composition of spa_spe_hw.tcl, and
# prints "instance NAME COMPONENT" and "connect SOURCE SINK" for the HLS components and their streams. Commands are
# checked as far as their arguments can be wrong in themselves. Everything of ours is in ::pd: the scripts have
# variables of their own.
#
#   tclsh netlist.tcl FOLDER

array set pd {instances {} parameters {} overrides {} connections {} streams {} exports {} prefix {}}
set pd(folder) [lindex $argv 0]

proc pd_fail {text} {
  puts stderr "Platform Designer would refuse: $text"
  exit 1
}
proc pd_known {end} {
  set instance [lindex [split $end .] 0]
  if {![dict exists $::pd(instances) $instance]} { pd_fail "no instance $instance" }
  return $instance
}

# ---------------------------------------------------------------- systems
proc package {args} {}
proc create_system {name} {}
proc set_project_property {name value} {}
proc save_system {name} {
  if {$name ne "spa_array.qsys"} { pd_fail "saved as $name" }
}
proc add_instance {instance component args} {
  if {[dict exists $::pd(instances) $instance]} { pd_fail "two instances $instance" }
  dict set ::pd(instances) $instance $component
  if {[regsub {_internal$} $component {} name]} { puts "instance $::pd(prefix)$instance $name" }
}
proc set_instance_parameter_value {instance name value} {
  dict set ::pd(overrides) [pd_known $instance].$name $value
}
proc add_connection {from to} {
  foreach end [list $from $to] {
    if {![regexp {^\w+\.\w+$} $end]} { pd_fail "not an interface: $end" }
  }
  pd_known $from
  set kind [dict get $::pd(instances) [pd_known $to]]
  if {[dict exists $::pd(connections) $from/$to]} { pd_fail "two connections $from/$to" }
  dict set ::pd(connections) $from/$to 1
  # Clocks, resets and memory-mapped interfaces are not streams.
  if {[regexp {\.(clock|reset|clk|avs_cra)$} $to] || $kind eq "altera_avalon_mm_bridge"} { return }
  lappend ::pd(streams) $::pd(prefix)$from $::pd(prefix)$to
}
proc set_connection_parameter_value {connection name value} {
  if {![dict exists $::pd(connections) $connection]} { pd_fail "no connection $connection" }
}
proc add_interface {name kind direction} {
  if {$kind ni {clock reset avalon_streaming avalon interrupt}} { pd_fail "interface $name of kind $kind" }
}
proc set_interface_property {name property port} {
  if {$property ne "EXPORT_OF"} { pd_fail "property $property of interface $name" }
  pd_known $port
  dict set ::pd(exports) $::pd(prefix)$name $::pd(prefix)$port
}

# ---------------------------------------------------------------- composed component
proc set_module_property {name value} { set ::pd($name) $value }
proc add_parameter {name type default} { dict set ::pd(parameters) $name $default }
proc get_parameter_value {name} {
  if {[dict exists $::pd(overrides) $::pd(spe).$name]} { return [dict get $::pd(overrides) $::pd(spe).$name] }
  return [dict get $::pd(parameters) $name]
}

source [file join $pd(folder) spa_array.tcl]
source [file join $pd(folder) spa_spe_hw.tcl]
foreach {pd(spe) pd(component)} $pd(instances) {
  if {$pd(component) ne $pd(NAME)} { continue }
  array set pd [list instances {} connections {} prefix $pd(spe).]
  $pd(COMPOSITION_CALLBACK)
}

# A connection to an SPE is one to the port that its interface exports.
proc pd_inside {end} {
  return [expr {[dict exists $::pd(exports) $end] ? [dict get $::pd(exports) $end] : $end}]
}
foreach {pd(from) pd(to)} $pd(streams) { puts "connect [pd_inside $pd(from)] [pd_inside $pd(to)]" }
