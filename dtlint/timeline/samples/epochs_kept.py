"""Does a data set that is told of a new epoch tell the one that it walks over?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.ir.functions import attribute_name
from dtlint.machine.library.feeding.data import TOLD_EPOCH
from dtlint.machine.logs import Event
from dtlint.machine.run import Run
from dtlint.machine.starts.run_before import CONSTRUCTORS
from dtlint.machine.values import ClassRef, FunctionRef, Object
from dtlint.timeline.records import recorded


def kept_to_itself(run: Run) -> Iterator[tuple[FunctionRef, str, tuple[Step, ...]]]:
    """The `set_epoch` that keeps the epoch, whom it does not tell, and where it is called."""
    events = [event for event, _ in recorded(run, "own-set-epoch")]
    told = {event.subject.number for event in events if isinstance(event.subject, Object)}
    seen: set[int] = set()
    for event in events:
        thing: Any = event.subject
        while isinstance(thing, Object) and thing.number not in seen:
            seen.add(thing.number)
            method, inner = method_of(thing), walked_over(thing)
            if method is None or inner is None or inner.number in told:
                break
            if not keeps_only(thing, method):
                break
            if depends_on_it(inner) or keeps_only(inner, method_of(inner)):
                yield method, name_of(inner), steps_of(event, inner)
            thing = inner


def steps_of(event: Event, inner: Object) -> tuple[Step, ...]:
    method = method_of(inner)
    at = getattr(method.node, "at", None) if method is not None else None
    called = Step.of(event, "told of the epoch here")
    if method is None or at is None:
        return (called,)
    text = "orders its samples by the epoch" if depends_on_it(inner) else "should hear of the epoch, and hand it on,"
    return (called, Step(method.path, at[0], f"`{name_of(inner)}` {text} here"))


def name_of(thing: Object) -> str:
    return thing.kind.name if isinstance(thing.kind, ClassRef) else thing.kind


def method_of(thing: Object) -> FunctionRef | None:
    return next((one for one in methods_of(thing) if one.node.name == TOLD_EPOCH), None)


def methods_of(thing: Object) -> Iterator[FunctionRef]:
    """The methods of the project's classes that this is one of, the nearest class first."""
    todo = [thing.kind]
    while todo:
        kind = todo.pop(0)
        if isinstance(kind, ClassRef):
            for held in kind.attributes.values():
                if isinstance(held, FunctionRef) and isinstance(held.node, ir.Function):
                    yield held
            todo.extend(kind.bases)  # type: ignore[arg-type]


def walked_over(thing: Object) -> Object | None:
    """The one data set that it holds."""
    held = [one for one in thing.attributes.values() if isinstance(one, Object) and method_of(one) is not None]
    return held[0] if len(held) == 1 else None


def kept_names(method: FunctionRef) -> set[str] | None:
    """`self.epoch = epoch`: the names, if the method does nothing else."""
    names: set[str] = set()
    assert isinstance(method.node, ir.Function)
    for statement in method.node.body:
        if isinstance(statement, ir.ExprStmt) and isinstance(statement.value, ir.Const):
            continue
        if not isinstance(statement, ir.Assign) or not isinstance(statement.value, ir.Name | ir.Const):
            return None
        names.update(attribute_name(target) for target in statement.targets)
    return names if names and "" not in names else None


def keeps_only(thing: Object, method: FunctionRef | None) -> bool:
    names = kept_names(method) if method is not None else None
    return names is not None and not read_elsewhere(thing, names)


def depends_on_it(thing: Object) -> bool:
    method = method_of(thing)
    names = kept_names(method) if method is not None else None
    return names is not None and read_elsewhere(thing, names)


def read_elsewhere(thing: Object, names: set[str]) -> bool:
    return any(
        not names.isdisjoint(one.node.tokens)
        for one in methods_of(thing)
        if isinstance(one.node, ir.Function) and one.node.name not in (TOLD_EPOCH, *CONSTRUCTORS)
    )
