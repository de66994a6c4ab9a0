"""Is this a network, a `torch.nn.Module` of whatever class?"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.names import classes
from dtlint.machine.values import Object, Tuple, Value

MODULE = "torch.nn.Module"
HAS_MODELS = "has models"  # of what prepares several things at once: a network was among them
PARAMETERS = "parameters"  # what nobody but a network is asked for


def is_module(machine: Machine, value: Value) -> bool:
    return classes.is_a(machine, value, MODULE)


def asked_for(machine: Machine, thing: Value, name: str) -> None:
    """`Adam(net.parameters())`, of a `net` that a library has made of which no pack speaks: so it is a network. What is
    made around a network may have ways of its own."""
    if (
        name == PARAMETERS
        and isinstance(thing, Object)
        and not known(machine, thing)
        and not around_one(machine, thing)
    ):
        thing.facts[classes.SHOWN] = MODULE


def known(machine: Machine, thing: Object) -> bool:
    """Is it of a class of the project, of Python, or of one that some pack speaks of?"""
    return not isinstance(thing.kind, str) or "." not in thing.kind or thing.kind in machine.knowledge.types


def around_one(machine: Machine, thing: Object) -> bool:
    made = thing.facts.get("call")
    given = made.values if isinstance(made, Invocation) else ()
    return made is None or any(is_module(machine, one) or holds_one(machine, one) for one in given)


def holds_one(machine: Machine, value: Value) -> bool:
    return isinstance(value, Tuple) and any(is_module(machine, one) for one in value.items)
