"""May the ranks meet in a call of a library that nobody has described?

It has a barrier if it calls something so, and it goes through the model if it is given one that is wrapped. What comes
behind such a call comes behind everybody, for all that is known.
"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import Object

MEETS = "may-meet"


def called(machine: Machine, call: Invocation) -> None:
    name = call.name.rpartition(".")[2]
    through_model = any(isinstance(value, Object) and value.facts.get("wrapped") for value in call.values)
    if through_model or speaks_of_meeting(machine, name):
        machine.emit_event("record", MEETS, call.name, call.mask)


def speaks_of_meeting(machine: Machine, name: str) -> bool:
    """`dist_barrier`, `comm.synchronize`: some word of it is what libraries call a barrier, or all of it is."""
    return name in machine.knowledge.waiting or not machine.knowledge.waiting.isdisjoint(name.split("_"))
