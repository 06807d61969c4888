"""Compiles a SystemRDL file with systemrdl-compiler and prints its registers as JSON: registers.py FILE"""

import json
import sys

from systemrdl import RDLCompiler


def field(node):
    return {
        "name": node.inst_name,
        "lsb": node.lsb,
        "width": node.width,
        "sw": node.get_property("sw").name,
        "hw": node.get_property("hw").name,
        "reset": node.get_property("reset"),
        "pulse": node.get_property("singlepulse"),
    }


def register(node):
    return {
        "name": node.inst_name,
        "offset": node.absolute_address,
        "width": node.get_property("regwidth"),
        "fields": [field(child) for child in node.fields()],
    }


compiler = RDLCompiler()
compiler.compile_file(sys.argv[1])
print(json.dumps([register(node) for node in compiler.elaborate().top.registers()]))
