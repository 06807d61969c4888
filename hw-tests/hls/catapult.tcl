# Stands in for Catapult's shell: runs spa.tcl, prints its commands, refuses what is none and files that are not
# there.
#
#   tclsh catapult.tcl FOLDER

proc unknown {command args} {
  if {$command ni {project solution flow go directive}} { error "no command $command" }
  if {[lrange $args 0 1] eq "file add" && ![file isfile [lindex $args 2]]} { error "no file [lindex $args 2]" }
  puts "$command $args"
}

source [file join [lindex $argv 0] spa.tcl]
