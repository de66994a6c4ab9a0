"""Are as many batches taken of a loader by hand as there are whole ones: `next(batches)` in `range(len(rows) // size)`?

The last one, which may be smaller, is left where it is. It is not if the next epoch goes on with the same iterator.
"""

from __future__ import annotations

from dtlint.machine.lanes import token
from dtlint.machine.library.feeding.loader_options import option
from dtlint.machine.logs import LogNode, Loop
from dtlint.machine.run import Run
from dtlint.machine.values import Const, Object, Unknown, Value
from dtlint.timeline.records import recorded
from dtlint.timeline.steps.training import loader_of


def only_whole_ones(run: Run, loader: Object) -> bool:
    size = option(loader, "batch_size")
    made, taken = (around(run, what, loader) for what in ("iterator-made", "batch-taken"))
    return bool(taken) and all(loops and loops[:-1] in made and rounds_down(loops[-1], size) for loops in taken)


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
    return (start, step) == (Const(0), Const(1)) and key[:1] == ("op //",) and key[2] == token(size)
