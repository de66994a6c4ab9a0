"""What do the functions of `itertools` make of things that nobody needs to look into?"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.contents.rearranged import MOST, Held, thing_of
from dtlint.machine.core import Machine
from dtlint.machine.lanes import row
from dtlint.machine.library.invocation import Handler, Invocation
from dtlint.machine.values import Const, Row, Tuple, Value, lane_value


def made_by(function: Callable[..., Iterable[Any]]) -> Handler:
    def handler(machine: Machine, call: Invocation) -> Value | None:
        named = {str(name): value for name, value in call.keywords}
        given = (*call.arguments, *named.values())
        cause = next((value.cause for value in given if isinstance(value, Row)), None)
        for why, lanes in ((None, (0,)), (cause, range(machine.world.size) if cause is not None else ())):
            found = [asked(machine, function, call, named, lane if why is not None else None) for lane in lanes]
            known = tuple(value for value in found if value is not None)
            if known and len(known) == len(found):
                return row(known, why) if why is not None else known[0]
        return None

    return handler


def asked(
    machine: Machine, function: Callable[..., Any], call: Invocation, named: dict[str, Value], lane: int | None
) -> Value | None:
    def told(value: Value) -> Any:
        value = value if lane is None else lane_value(value, lane)
        items = containers.items_of(machine, value) if not isinstance(value, Const) else None
        return thing_of(machine, value) if items is None else [Held(machine, item) for item in items]

    try:
        walk = function(*map(told, call.arguments), **{name: told(value) for name, value in named.items()})
        items = list(itertools.islice(walk, MOST + 1))
    except Exception:  # it asks for more than where things stand
        return None
    if len(items) > MOST:
        return None
    return machine.new_list(tuple(map(value_of, items)), call.mask)


def value_of(item: Any) -> Value:
    if isinstance(item, Held):
        return item.value
    return Tuple(tuple(map(value_of, item))) if isinstance(item, tuple) else Const(item)


FUNCTIONS: dict[str, Handler] = {
    f"itertools.{function.__name__}": made_by(function)
    for function in (
        *(itertools.product, itertools.permutations, itertools.combinations, itertools.combinations_with_replacement),
        *(itertools.pairwise, itertools.compress, itertools.zip_longest),
    )
}
