"""Which buffers that were given away does a turn of a loop leave for the next one?

`if not finite: continue`, or `if finite: state = proposed` without an `else`: the name holds on to what the call took.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import ClassRef, Object, Symbol, Unknown, Value

LEFT = "left over"  # note: a name goes into the next turn with what it came into this one with, and gave away
MOST = 12  # branches within branches
Answers = tuple[tuple[Symbol, bool], ...]


def turn_ends(machine: Machine, mask: int, returns: bool = False) -> None:
    """A turn comes to its end here: by itself, by `continue`, or in a method that the loop calls and that returns."""
    donated = machine.facts.get("jax donated")
    turn = begun(machine.frame.caller if returns else machine.frame) if donated and mask else None
    if donated is None or turn is None:
        return
    for slots, name, value in places(machine, returns):
        for leaf in jax_facts.leaves(value, 3):
            for symbol, answers in sides(leaf.symbol, ()) if isinstance(leaf, Unknown) else ():
                if symbol in donated and began_with(machine, turn, slots, name, symbol):
                    place = (id(slots), name)
                    jax_facts.note(machine, LEFT, mask, symbol=symbol, answers=answers, place=place, returns=returns)


def begun(frame: Frame | None) -> int | None:
    """How much was written when the turn began of the loop that this is in, or is called from."""
    while frame is not None:
        if frame.loops:
            return frame.loops[-1].mark
        frame = frame.caller
    return None


def places(machine: Machine, returns: bool) -> Iterator[tuple[dict[Any, Value], Any, Value]]:
    """The names of a function that goes on, and the attributes of the project's objects in them."""
    frame = machine.frame
    for name, value in list(frame.variables.items()):
        if frame.loops and not returns:
            yield frame.variables, name, value
        if isinstance(value, Object) and isinstance(value.kind, ClassRef):
            yield from ((value.attributes, one, held) for one, held in list(value.attributes.items()))


def began_with(machine: Machine, mark: int, slots: dict[Any, Value], name: Any, symbol: Symbol) -> bool:
    """Did the place hold this when the turn began?"""
    for container, written, before in machine.journal[mark:]:
        if container is slots and written == name:
            return any(isinstance(one, Unknown) and one.symbol is symbol for one in jax_facts.leaves(before, 3))
    return True


def sides(symbol: Symbol, above: Answers) -> Iterator[tuple[Symbol, Answers]]:
    """What branches may have left there, with the answers that lead to it."""
    if symbol.key[0] != "phi" or len(symbol.key) != 4 or not isinstance(symbol.key[1], Symbol):
        yield symbol, above
    elif len(above) < MOST:
        for side, answer in zip(symbol.key[2:], (True, False), strict=True):
            if isinstance(side, Symbol):
                yield from sides(side, (*above, (symbol.key[1], answer)))
