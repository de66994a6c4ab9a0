"""Which lists beside each other are filled by what comes, so that nobody knows how long each of them gets?

`parts[loads.index(min(loads))].append(name)`: the parts are equal in bytes, or hold what has one hash, and not in
number. Whoever deals out one after the other, `parts[number % world]` or by the number in a row, or asks how many there are in
a part, may see to it that they are.
"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.values import Object, Symbol, Unknown, Value

ASKED = "asked at"  # fact of a list: the place it was asked for among others
DEALT = "filled by what comes"  # fact of a list
COUNTED = "counted"  # fact of a list: somebody asks how many are in it
IN_TURN = frozenset({"op %", "number", "index", "itertools.cycle", "turn"})  # what counts the items or the ranks


def asked(known: tuple[Value, ...], index: Value) -> None:
    """One of these lists, nobody knows which."""
    if not isinstance(index, Unknown) or index.cause is not None:
        return
    for one in known:
        if isinstance(one, Object) and one.kind == "list":
            one.facts[ASKED] = index.symbol


def put(container: Object) -> None:
    """Something is added to a list, or to one of several: what was dealt out once may be filled up to a length."""
    several = (container, *container.instead)
    places = [one.facts.pop(ASKED, None) for one in several]
    by_need = len(several) > 1 and isinstance(places[0], Symbol) and not in_turn(places[0])
    for one in several:
        if by_need:
            one.facts[DEALT] = True
        else:
            one.facts.pop(DEALT, None)


def in_turn(place: Symbol) -> bool:
    from dtlint.machine.library.computing.provenance import symbols_in

    return any(one.key[0] in IN_TURN for one in symbols_in(place))


def counted(thing: Object) -> None:
    if thing.kind == "list":
        for one in (thing, *thing.instead):
            one.facts[COUNTED] = True


def by_need(machine: Machine, base: Value) -> bool:
    """Is this a list of such lists, one for each rank?"""
    from dtlint.machine.contents import containers

    parts = containers.items_of(machine, base) if isinstance(base, Object) and base.kind == "list" else None
    return len(parts or ()) == machine.world.size and all(
        isinstance(one, Object) and DEALT in one.facts and COUNTED not in one.facts for one in parts or ()
    )
