"""Has the program counted how many rows there are to a batch?

It takes as many batches of a loader by hand as there are whole ones, `next(batches)` in `range(len(rows) // size)`: the
last one, which may be smaller, is left where it is. It is not if the next epoch goes on with the same iterator.

Or it counts how many rows are lacking for a whole one, and fills them up: `for _ in range(size - len(rows) % size)`.
So may what puts samples together, when it is told how many make a whole one: `collate_fn=partial(fill, size=size)`.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.lanes import token
from dtlint.machine.library.feeding.loader_options import option
from dtlint.machine.logs import LogNode, Loop
from dtlint.machine.run import Run
from dtlint.machine.values import Bound, Const, Object, Symbol, Unknown, Value
from dtlint.timeline.records import recorded
from dtlint.timeline.steps.training import loader_of


def only_whole_ones(run: Run, loader: Object) -> bool:
    size = option(loader, "batch_size")
    made, taken = (around(run, what, loader) for what in ("iterator-made", "batch-taken"))
    return bool(taken) and all(loops and loops[:-1] in made and rounds_down(loops[-1], size) for loops in taken)


def filled_up(run: Run, loader: Object) -> bool:
    size, rows = option(loader, "batch_size"), loader.attributes.get("dataset")
    if size is not None and told(option(loader, "collate_fn"), size):
        return True
    if size is None or rows is None:
        return False
    return any(isinstance(node, Loop) and counts_lacking(node, token(rows), token(size)) for node, _ in run.walk())


def told(collate: Value | None, size: Value) -> bool:
    """Does it have the size of a batch as an argument, or as what its object holds?"""
    if not isinstance(collate, Bound | Object):
        return False
    if isinstance(collate, Object):
        held = list(collate.attributes.values())
    else:
        held = [*collate.extra, *(value for _, value in collate.keywords)]
    return token(size) in map(token, held)


def counts_lacking(loop: Loop, rows: Any, size: Any) -> bool:
    """`for _ in range(size - len(rows) % size)`"""
    counted = loop.subject
    stop = counted.attributes.get("stop") if isinstance(counted, Object) else None
    match stop.symbol.key if isinstance(stop, Unknown) else ():
        case ("op -", whole, Symbol(key=("op %", Symbol(key=("len", held)), part))):
            return held == rows and factors(whole) == factors(part) == factors(size)
    return False


def factors(number: Any) -> list[Any]:
    """`size * devices`, in whichever order."""
    product = isinstance(number, Symbol) and number.key[0] == "op *"
    return sorted(number.key[1:], key=repr) if product else [number]


def around(run: Run, what: str, loader: Object) -> list[list[Loop]]:
    """The loops in which this is done to the loader, for each place."""
    return [loops_of(path) for event, path in recorded(run, what) if loader_of(event.subject) is loader]


def loops_of(path: tuple[LogNode, ...]) -> list[Loop]:
    return [node for node in path if isinstance(node, Loop)]


def rounds_down(loop: Loop, size: Value | None) -> bool:
    """`for _ in range(len(rows) // size)`"""
    counted = loop.subject
    if size is None or not isinstance(counted, Object) or counted.kind != "builtins.range":
        return False
    start, stop, step = (counted.attributes.get(name) for name in ("start", "stop", "step"))
    key = stop.symbol.key if isinstance(stop, Unknown) else ()
    whole = (start, step) == (Const(0), Const(1)) and key[:1] == ("op //",)
    return whole and factors(key[2]) == factors(token(size))
