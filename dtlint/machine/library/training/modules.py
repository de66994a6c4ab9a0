"""Is this a network, a `torch.nn.Module` of whatever class?"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.names import attributes
from dtlint.machine.values import Value

MODULE = "torch.nn.Module"


def is_module(machine: Machine, value: Value) -> bool:
    return attributes.is_a(machine, value, MODULE)
