"""Does the shape of a mesh count the devices that the mesh is made of: those of all hosts, or those of this one?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.values import NONE, Const, Symbol, Unknown, Value

OF_OTHERS = "mesh shape"  # note: it counts other devices than the mesh is made of
ARRAYS = frozenset({"numpy.array", "numpy.asarray"})
QUOTIENTS = frozenset({"op //", "op /"})


@dataclass(frozen=True, slots=True)
class Count:
    """A number as a product: of a plain number, and of unknown ones, each so many times."""

    number: Fraction
    unknown: tuple[tuple[Symbol, int], ...] = ()
    scales: frozenset[str] = frozenset()

    def times(self, other: Count, power: int = 1) -> Count:
        unknown = Counter(dict(self.unknown))
        for symbol, times in other.unknown:
            unknown[symbol] += power * times
        left = tuple((symbol, times) for symbol, times in unknown.items() if times)
        return Count(self.number * other.number**power, left, self.scales | other.scales)


def made_of_devices(machine: Machine, call: Invocation) -> None:
    """`create_device_mesh(shape)`, `make_mesh(shape, names)`: of all devices, where none are given."""
    shape = call.get("mesh_shape") or call.get("axis_shapes")
    if shape is not None:
        check(machine, whose(call.get("devices")), shape, call.mask)


def whose(devices: Value | None) -> str:
    """All devices of all hosts, all of this one, or others: `numpy.asarray(jax.devices())`"""
    if devices is None or devices == NONE:
        return "world"
    symbol = devices.symbol if isinstance(devices, Unknown) else None
    if symbol is not None and symbol.key[0] in ARRAYS and len(symbol.key) == 2:
        symbol = symbol.key[1] if isinstance(symbol.key[1], Symbol) else None
    return str(symbol.key[1]) if symbol is not None and symbol.key[0] == "devices" else ""


def check(machine: Machine, devices: str, shape: Value, mask: int) -> None:
    """Is this the number of devices of one host, though the mesh has all of them, or the reverse?"""
    sizes = containers.items_of(machine, shape) or ((shape,) if isinstance(shape, Const) else None)
    if sizes is None or machine.world.size == machine.world.per_host:
        return
    whole = Count(Fraction(1))
    for size in sizes:
        whole = whole.times(counted(token(size)))
    numbers = {"local": machine.world.per_host, "world": machine.world.size}
    other = {"local": "world", "world": "local"}.get(devices, "")
    if whole.scales == {other} and not whole.unknown and whole.number == numbers[other]:
        jax_facts.note(machine, OF_OTHERS, mask, counts=other)


def counted(part: Any) -> Count:
    number = provenance.number_in(part)
    if number is not None:
        return Count(Fraction(number), (), frozenset(part[2:] if isinstance(part, tuple) else ()))
    if not isinstance(part, Symbol):
        return Count(Fraction(0))
    what, *parts = part.key
    if what == "builtins.int" and len(parts) == 1:
        return counted(parts[0])
    if what == "op *":
        return counted(parts[0]).times(counted(parts[1]))
    below = counted(parts[1]) if what in QUOTIENTS else None
    if below is not None and below.number:
        return counted(parts[0]).times(below, -1)
    return Count(Fraction(1), ((part, 1),))
