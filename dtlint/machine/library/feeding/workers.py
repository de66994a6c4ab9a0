"""Which data sets do loader workers hold a copy of, and who changes them afterwards?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import TRUE, Bound, ClassRef, Object, Symbol, Tuple, Unknown, Value

LOADED = "loaded"  # fact: numbers of objects that workers have copies of, and the call that made the loader
AGAIN = "in every turn of a trainer"  # fact: what is run now, the trainer runs in each of its epochs or steps
TURNS = frozenset({"epoch", "batch", "step"})  # words in the names of such hooks
MOST = 64  # values that are looked at for one loader


def performed(machine: Machine, call: Invocation) -> None:
    """A loader was made: from its first iteration on, its workers hold copies of the data set, of what that holds or
    was made of, and of who makes batches of its samples."""
    if call.row.record != "loader":
        return
    dataset = call.get("dataset")
    loaded = machine.facts.setdefault(LOADED, {})
    for number in copied_with(dataset, call.get("collate_fn")):
        loaded.setdefault(number, call)
    if isinstance(dataset, Object):
        loaded[dataset.number] = call


def copied_with(*values: Value | None) -> Iterator[int]:
    """The objects that go to the workers together with these: what holds their attributes, and what a library's data
    set was made of."""
    todo, seen = list(values), set[int]()
    while todo and len(seen) < MOST:
        value = todo.pop(0)
        if isinstance(value, Bound):
            value = value.receiver
        if value is None or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Tuple):
            todo += value.items[:MOST]
        elif isinstance(value, Unknown):
            yield from numbers_in(value.symbol)
        elif isinstance(value, Object):
            if isinstance(value.kind, ClassRef):
                yield value.number
            made = value.facts.get("call")
            todo += value.attributes.values()
            todo += made.values if isinstance(made, Invocation) else ()


def numbers_in(symbol: Symbol) -> Iterator[int]:
    """The objects that something nobody knows was computed from."""
    for one in symbols_in(symbol):
        for part in one.key:
            if isinstance(part, tuple) and len(part) == 2 and part[0] == "object":
                yield part[1]


def attribute_written(machine: Machine, base: Value, name: str, value: Value, mask: int) -> None:
    if isinstance(base, Object) and isinstance(base.kind, ClassRef) and base.number in machine.facts.get(LOADED, ()):
        call = machine.facts[LOADED][base.number]
        extra = {"loader": call, "attribute": name, "again": machine.facts.get(AGAIN, False)}
        machine.emit_event("record", "dataset-write", name, mask, subject=base, extra=extra)


def are_kept(machine: Machine) -> bool:
    """Are there workers that stay from one epoch to the next?"""
    return any(call.get("persistent_workers") == TRUE for call in machine.facts.get(LOADED, {}).values())


@contextmanager
def again_and_again(machine: Machine, hook: str) -> Iterator[None]:
    """`on_train_epoch_start`, `on_step_begin`: a trainer calls it in every turn, and begins with the workers once."""
    before = machine.facts.get(AGAIN, False)
    machine.facts[AGAIN] = not TURNS.isdisjoint(hook.split("_"))
    yield
    machine.facts[AGAIN] = before


def item_written(machine: Machine, container: Value, mask: int) -> None:
    """`dataset.settings["level"] = 2`; tensors and managed dictionaries may be shared with the workers."""
    plain = isinstance(container, Object) and container.kind in ("dict", "list")
    for call in {id(call): call for call in machine.facts.get(LOADED, {}).values()}.values() if plain else ():
        dataset = call.get("dataset")
        for name, held in dataset.attributes.items() if isinstance(dataset, Object) else ():
            if held is container:
                attribute_written(machine, dataset, name, container, mask)


MODELS: dict[str, Any] = {}
