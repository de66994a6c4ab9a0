"""What is a model made of, as far as the program has put it together?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.machine.contents.dictionaries import entries
from dtlint.machine.library.training.models import SEQUENTIAL
from dtlint.machine.library.training.modules import MODULE
from dtlint.machine.names.subscripts import listed_parts, named_parts
from dtlint.machine.values import ClassRef, Object, Row, Tuple, Unknown, Value

DEPTH = 6
NESTED = 3  # classes of the project within each other


def row_of(run: Any, thing: Object) -> Any:
    return run.knowledge.api(thing.kind) if isinstance(thing.kind, str) else None


def children(thing: Object) -> Iterator[tuple[str, Object]]:
    """The modules inside, as far as they are known."""
    found: list[tuple[str, Value]] = [(str(name), value) for name, value in thing.attributes.items()]
    call = thing.facts.get("call")
    named = named_parts(thing)
    if named is not None:
        found.extend((str(name), value) for name, value in entries(named))
    elif call is not None and (isinstance(thing.kind, str) or call.row.extra.get("container")):
        found.extend((str(index), value) for index, value in enumerate(call.arguments))
    for name, value in found:
        for item in held(value):
            if isinstance(item, Object) and item is not thing:
                yield name, item


def held(value: Value) -> tuple[Value, ...]:
    """The module, those in a list, or the one that stands for all that were made in turns."""
    value = items_in(value)
    if isinstance(value, Unknown) and value.like is not None:
        return (value.like,)
    return value.items if isinstance(value, Tuple) else (value,)


def items_in(value: Value) -> Value:
    if isinstance(value, Object) and value.kind == "<spread>":
        value = value.attributes["value"]
    return value.attributes.get("[]", value) if isinstance(value, Object) and value.kind == "list" else value


def has(run: Any, thing: Object, fact: str, depth: int = DEPTH) -> bool:
    """Is there a layer inside of which the packs say `fact`?"""
    row = row_of(run, thing)
    if row is not None and row.extra.get(fact):
        return True
    if row is not None and row.extra.get("container") and fact == "parameters":
        call = thing.facts.get("call")
        if call is not None and any(isinstance(items_in(value), Unknown) for value in call.arguments):
            return True
    return depth > 0 and any(has(run, inner, fact, depth - 1) for _, inner in children(thing))


def is_module(run: Any, thing: Object) -> bool:
    names = [thing.kind] if isinstance(thing.kind, str) else []
    if isinstance(thing.kind, ClassRef):
        order: list[Value] = [thing.kind]
        while order:
            owner = order.pop()
            if isinstance(owner, ClassRef):
                order.extend(owner.bases)
            else:
                names.append(getattr(owner, "name", ""))
    return any(MODULE in run.knowledge.ancestors(name) for name in names)


def models_in(value: Any) -> list[Object]:
    """The model, or those of the lanes where the ranks hold different ones."""
    held = value.lanes if isinstance(value, Row) else (value,)
    return list(dict.fromkeys(one for one in held if isinstance(one, Object)))


def of_project(model: Object, depth: int = NESTED) -> Iterator[Object]:
    """The model, or those that `nn.Sequential(…)` puts one behind the other: theirs is the forward that was written."""
    if isinstance(model.kind, ClassRef):
        yield model
    elif depth and model.kind == SEQUENTIAL:
        for _, inner in children(model):
            yield from of_project(inner, depth - 1)


def surely_made(module: Object) -> bool:
    """Is it there whatever the options are, and nothing else in its place?"""
    return module.made_if is None and not module.doubted and not module.instead


def to_pick_from(module: Object) -> list[Object]:
    """The parts of which an index takes one: those of a table, or of a list."""
    named = named_parts(module)
    if named is not None:
        return [one for _, one in entries(named) if isinstance(one, Object)]
    return [one for _, one in children(module)] if listed_parts(module) is not None else []


@dataclass(frozen=True, slots=True)
class Inner:
    """A module inside of another, and whose attribute it is; without an owner it is one of several in a table."""

    name: str
    module: Object
    owner: Object | None = None
    attribute: str = ""


def parts(model: Object) -> Iterator[Inner]:
    """The submodules, those that one of them keeps under names of their own, and those of the project's inside."""
    for name, module in children(model):
        named = named_parts(module)
        if named is None:
            yield Inner(name, module, model, name)
            yield from inside(name, module)
            continue
        for key, part in entries(named):
            if isinstance(part, Object):
                yield Inner(f"{name}[{key!r}]", part)


def inside(name: str, module: Object, depth: int = NESTED) -> Iterator[Inner]:
    """What the classes of the project that a model is made of keep: they decide by themselves what they use. Layers one
    behind the other, or in a list, keep what each of them keeps."""
    if depth and isinstance(module.kind, ClassRef):
        for inner, part in children(module):
            if named_parts(part) is None:
                yield Inner(f"{name}.{inner}", part, module, inner)
                yield from inside(f"{name}.{inner}", part, depth - 1)
    elif depth and is_chain(module):
        for index, (_, part) in enumerate(children(module)):
            yield from inside(f"{name}[{index}]", part, depth - 1)


def is_chain(module: Object) -> bool:
    return module.kind == SEQUENTIAL or listed_parts(module) is not None


def all_inside(module: Object, depth: int = DEPTH) -> Iterator[Object]:
    yield module
    for _, inner in children(module) if depth else ():
        yield from all_inside(inner, depth - 1)
