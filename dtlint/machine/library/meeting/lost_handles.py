"""Whose handles are lost, so that nobody can wait for what they have started?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.library.meeting.works import KIND, MADE_WHERE, note, running, works_in
from dtlint.machine.values import Object, Tuple, Value

REPLACED = "replaced"  # fact of a handle: where another one has taken its place before anybody waited for it


def dropped(machine: Machine, value: Value, node: ir.Expr) -> None:
    """The value of an expression statement: a handle that nobody holds."""
    for work in works_in(value):
        direct = work.facts.get("node") is node
        if work.facts.get("event") is None or work.facts.get("waited") or work.number not in running(machine):
            continue
        if direct or not (work.facts.get("kept elsewhere") or stored(machine, work)):
            note(machine, "dropped-work", work)


def stored(machine: Machine, work: Object) -> bool:
    """Was the handle put away somewhere since it was made?"""
    for container, name, _ in machine.journal[work.facts.get("journal", 0) :]:
        held = container.get(name)
        if held is work and (name == "[]" or isinstance(name, tuple)):
            return True
        if isinstance(held, Tuple) and any(item is work for item in held.items):
            return True
    return False


def assigned(machine: Machine, value: Value, target: ir.Expr, node: ir.Expr) -> None:
    """`handle = …`: a handle whose name is never read again, or not before the next one takes its place, is as good as
    dropped."""
    if not isinstance(target, ir.Name):
        return
    for work in works_in(value):
        if work.facts.get("node") is not node or machine.frame.is_class:
            continue
        function = machine.frame.function
        body = function.node.body if function is not None else None
        if (
            function is not None
            and body is not None
            and isinstance(function.node, ir.Function)
            and (not read_in(body, target.id) or replaced_in_turns(body, node, target.id))
        ):
            note(machine, "dropped-work", work)


def replaced(machine: Machine, targets: tuple[ir.Expr, ...], value: Value) -> None:
    """`request = irecv(…)`, where the name holds a request still that nobody has waited for. What the first turn of a
    loop loses is lost, whatever the turn goes on to wait for."""
    for target in targets:
        held = machine.frame.variables.get(target.id) if isinstance(target, ir.Name) else None
        if not isinstance(held, Object) or held.kind != KIND or held in works_in(value):
            continue
        names = sum(held in works_in(one) for one in machine.frame.variables.values())
        begun = held.facts.get("event") is not None and held.number in running(machine)
        kept = held.facts.get("waited") or held.facts.get("kept elsewhere") or stored(machine, held)
        here = (machine.frame.path, machine.current_at)
        if begun and not kept and names == 1:
            held.facts[REPLACED] = here
        if held.facts.get(REPLACED) == here and not is_never_here(machine, held):
            note(machine, "dropped-work", held)


def is_never_here(machine: Machine, held: Object) -> bool:
    """`if summed: work = …` and `if divided: assert not summed; work = …`: never both."""
    return any(machine.assumes(asked, not answer) for asked, answer in held.facts.get(MADE_WHERE, ()))


def replaced_in_turns(body: Any, node: ir.Expr, name: str) -> bool:
    """`for p in parameters: work = all_reduce(p.grad, async_op=True)`: only the last one is there behind the loop."""
    above = nodes_above(body, node)
    inner = next(
        (number for number in reversed(range(len(above))) if isinstance(above[number], ir.For | ir.While)), None
    )
    if inner is None or any(read_in(above[inner], one) for one in (name, *readers_in(body, name))):
        return False
    once = any(isinstance(one, ir.If) and asks_for_one(one.test) for one in above[inner:])
    return not once and not any(isinstance(one, ir.Break | ir.Return) for one in every_node(above[inner]))


def readers_in(body: Any, name: str) -> Iterator[str]:
    """`def finish(): work.wait()`: inner functions that read the name where they are called."""
    for statement in body:
        for one in every_node(statement):
            if isinstance(one, ir.Function) and read_in(one.body, name):
                yield one.name


def asks_for_one(test: Any) -> bool:
    """`step == 0`: so it is in one turn alone, maybe."""
    return any(
        isinstance(one, ir.Compare) and any(op in ("==", "is") for op, _ in one.pairs) for one in every_node(test)
    )


def nodes_above(part: Any, node: ir.Expr) -> list[ir.Node]:
    """From the outside in; none where it is not below this part."""
    if isinstance(part, tuple | list):
        return next((found for item in part if (found := nodes_above(item, node))), [])
    if not isinstance(part, ir.Node):
        return []
    if part is node:
        return [part]
    found = next((found for slot in part.below if (found := nodes_above(getattr(part, slot), node))), [])
    return [part, *found] if found else []


def read_in(part: Any, name: str) -> bool:
    """Is the name read anywhere in this piece of program?"""
    if isinstance(part, tuple | list):
        return any(read_in(item, name) for item in part)
    if isinstance(part, ir.Name):
        return bool(part.id == name)
    if isinstance(part, ir.Assign):
        inner = [one for one in part.targets if not isinstance(one, ir.Name)]
        return read_in(part.value, name) or read_in(inner, name)
    if isinstance(part, ir.Global | ir.Nonlocal):
        return name in part.names
    if isinstance(part, ir.Node):
        return any(read_in(getattr(part, slot), name) for slot in part.below)
    return False
