"""What is in a file that one rank saves and the others load?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Event
from dtlint.machine.run import Run
from dtlint.machine.values import BY_PROCESS, Object, Row, Tuple, Unknown, Value
from dtlint.timeline.places.files import Access, accesses, overlap

WRAPPER = "torch.nn.parallel.DistributedDataParallel.state_dict"
STATES = frozenset(
    {
        "torch.get_rng_state",
        "torch.cuda.get_rng_state",
        "torch.cuda.get_rng_state_all",
        "random.getstate",
        "numpy.random.get_state",
    }
)


@dataclass(frozen=True, slots=True)
class Saved:
    """`kind`: prefixed (the wrapper's keys) or personal (what is one rank's own, loaded by others)."""

    kind: str
    event: Event
    write: Event
    what: str = ""


def questionable_saves(run: Run) -> Iterator[Saved]:
    found = accesses(run)
    for access in found:
        call = access.call
        if access.kind != "file-write" or not isinstance(call, Invocation):
            continue
        for value in call.values:
            if holds(value, prefixed):
                yield Saved("prefixed", access.event, access.event)
            own = next((name for name, held in fields(value) if holds(held, personal)), None)
            reader = next((one for one in found if own is not None and read_by_others(access, one)), None)
            if reader is not None:
                yield Saved("personal", reader.event, access.event, str(own))


def fields(value: Value) -> Iterator[tuple[object, Value]]:
    if isinstance(value, Object) and value.kind == "dict":
        for name, held in value.attributes.items():
            if isinstance(name, tuple) and len(name) == 2:
                yield name[1], held


def holds(value: Value, question: object, depth: int = 0) -> bool:
    if question(value):  # type: ignore[operator]
        return True
    if depth > 2:
        return False
    if isinstance(value, Tuple):
        return any(holds(item, question, depth + 1) for item in value.items)
    return any(holds(held, question, depth + 1) for _, held in fields(value))


def prefixed(value: Value) -> bool:
    return isinstance(value, Unknown) and value.symbol.key[0] == WRAPPER


def personal(value: Value) -> bool:
    if isinstance(value, Row):
        return value.cause.kind in BY_PROCESS
    return isinstance(value, Unknown) and value.symbol.key[0] in STATES


def read_by_others(write: Access, read: Access) -> bool:
    """Also before it is written: a run that goes on loads what the one before has saved."""
    if read.kind != "load" or not read.mask & ~write.mask:
        return False
    writer = next(iter(write.lanes()))
    return any(overlap(write.places[writer], read.places[lane]) for lane in read.lanes() if lane != writer)
