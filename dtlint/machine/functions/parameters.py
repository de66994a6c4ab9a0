"""Which parameter gets which argument?"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.machine.contents import asked_for, containers, written
from dtlint.machine.contents.containers import is_closed_table
from dtlint.machine.core import Machine
from dtlint.machine.lanes import row, token
from dtlint.machine.library.feeding import batches
from dtlint.machine.library.invocation import Keywords
from dtlint.machine.library.python import options
from dtlint.machine.names import said_types, subscripts
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import MISSING, Const, FunctionRef, Object, Row, Tuple, Unknown, Value


def spread_keywords(machine: Machine, value: Value, keywords: list[tuple[str | None, Value]]) -> None:
    """`**options`: of settings that nobody knows, what the program has put there is known."""
    for name, held in (written.onto(machine, value) or {}).items():
        if isinstance(name, str) and name.isidentifier() and held is not MISSING:
            keywords.append((name, held))
    if isinstance(value, Object) and value.kind == "dict":
        for name, held in value.attributes.items():
            if isinstance(name, tuple) and isinstance(name[1], str) and held is not MISSING:
                keywords.append((name[1], held))
        if "[]" in value.attributes:
            keywords.append((None, value))
    elif isinstance(value, Row) and all(map(is_closed_table, value.lanes)):
        of_lanes(value, keywords)
    else:
        keywords.append((None, value))


def of_lanes(value: Row, keywords: list[tuple[str | None, Value]]) -> None:
    """`**({} if rank == 0 else {"probe": True})`: what each rank gives; what only some give stays in the spread."""
    names = [{name for name in held.attributes if type(name) is tuple} for held in value.lanes]  # type: ignore[attr-defined]
    for name in sorted(set.intersection(*names), key=repr):
        if isinstance(name[1], str):
            keywords.append((name[1], given_by_lanes(value, name[1], None)))
    if set.union(*names) != set.intersection(*names):
        keywords.append((None, value))


def given_by_lanes(spread: Row, name: str, default: Value | None) -> Value:
    lanes = []
    for lane, held in enumerate(spread.lanes):
        found = held.attributes.get(("key", name), default)  # type: ignore[attr-defined]
        lanes.append(found.lanes[lane] if isinstance(found, Row) else found)
    return row(tuple(lanes), spread.cause)


def bind(
    machine: Machine,
    frame: Frame,
    function: FunctionRef,
    receiver: Value | None,
    arguments: tuple[Value, ...],
    keywords: Keywords,
) -> None:
    variables = frame.variables
    defaults = dict(function.defaults)
    positional = list(arguments) if receiver is None or function.kind == "static" else [receiver, *arguments]
    if frame.receiver is None and function.owner is not None and positional and function.kind != "static":
        frame.receiver = positional[0]
    named: dict[str, Value] = {}
    spread: Value | None = None
    for name, value in keywords:
        if name is None:
            spread = value
        else:
            named[name] = value
    position = 0
    taken = 0  # of what nobody knows the number of
    for param in function.node.params:
        if param.kind in ("positional", "normal"):
            if param.name in named and param.kind == "normal" and position >= len(positional):
                variables[param.name] = named.pop(param.name)
            elif position < len(positional):
                held = positional[position]
                if isinstance(held, Object) and held.kind == "<spread>":
                    variables[param.name] = (
                        named.pop(param.name)
                        if param.name in named
                        else one_of_many(machine, held.attributes["value"], taken, frame.mask)
                    )
                    taken += 1
                    continue
                variables[param.name] = held
                position += 1
            elif param.name in named:
                variables[param.name] = named.pop(param.name)
            else:
                variables[param.name] = absent(machine, frame, param, defaults, spread)
        elif param.kind == "vararg":
            rest = positional[position:]
            if any(isinstance(held, Object) and held.kind == "<spread>" for held in rest):
                spread_value = next(h for h in rest if isinstance(h, Object) and h.kind == "<spread>")
                variables[param.name] = spread_value.attributes["value"]
            else:
                variables[param.name] = Tuple(tuple(rest))
            position = len(positional)
        elif param.kind == "keyword":
            variables[param.name] = (
                named.pop(param.name) if param.name in named else absent(machine, frame, param, defaults, spread)
            )
        else:
            made = machine.new("dict", frame.mask)
            for name, value in named.items():
                made.attributes["key", name] = value
            if spread is not None:
                fill_rest(machine, function, made, spread, frame.mask)
            variables[param.name] = made
        if param.annotation is not None and function.closure is not None and param.name in variables:
            said_types.heard(machine, variables[param.name], param.annotation, function.closure)


def fill_rest(machine: Machine, function: FunctionRef, rest: Object, spread: Value, mask: int) -> None:
    """What `**rest` gets of `**options`."""
    if isinstance(spread, Object) and spread.kind == "dict":
        rest.attributes.update(spread.attributes)
        return
    rest.attributes["[]"] = spread
    taken = {param.name for param in function.node.params}
    for name in sorted({*options.known(machine, spread), *(written.onto(machine, spread) or ())}):
        held = options.spread(machine, spread, name, mask) if name not in taken else None
        if held is not None:
            rest.attributes["key", name] = held


def one_of_many(machine: Machine, rest: Value, index: int, mask: int) -> Value:
    """`start(*options)`: each parameter gets another one."""
    if isinstance(rest, Unknown):
        return subscripts.item(machine, rest, Const(index), mask)
    return containers.element(machine, rest)


def absent(machine: Machine, frame: Frame, param: ir.Param, defaults: dict[str, Value], spread: Value | None) -> Value:
    option = options.spread(machine, spread, param.name, frame.mask)
    if option is not None:
        return option
    default = defaults.get(param.name)
    if default is not None and isinstance(spread, Row) and all(map(is_closed_table, spread.lanes)):
        return given_by_lanes(spread, param.name, default)
    if default is not None and (spread is None or not asked_for.is_off(default)):
        batches.named(machine, param.name, default, frame)
        return default
    if spread is not None:  # `**options` may well hold what is off only where nobody gives it
        return machine.unknown("keyword", token(spread), param.name, cause=spread.cause)
    machine.oldest_write = 0
    return machine.fresh("missing")  # the call fails, and no other call gets what this one lacks
