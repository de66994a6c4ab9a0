"""What may an instance hold when one of its methods is entered that nobody is seen to call?

Its constructor has run, and any of its other methods may have run since: a list that is empty at first is filled by
then, a counter has been counted, and what another method wraps or asks for is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import attribute_name, every_node
from dtlint.machine.contents import lacking
from dtlint.machine.contents.dictionaries import entries
from dtlint.machine.core import Machine
from dtlint.machine.joining import prefer
from dtlint.machine.logs import Log
from dtlint.machine.names import classes
from dtlint.machine.names.frames import Frame
from dtlint.machine.starts import filled_by_some, filled_from_outside
from dtlint.machine.starts.run_before import CONSTRUCTORS, methods
from dtlint.machine.values import CONTAINERS, ClassRef, Const, FunctionRef, Object, Row, Tuple, Unknown, Value

CHANGES = frozenset(
    {"append", "appendleft", "extend", "insert", "pop", "popleft", "popitem", "remove", "clear", "update"}
    | {"setdefault", "add", "discard"}
)


@dataclass(slots=True)
class Written:
    """What the methods of one class write to one attribute, of the instance or (`state.step`) of what it holds."""

    values: list[ir.Expr] = field(default_factory=list)  # right-hand sides that need nothing but the instance
    unclear: bool = False  # a right-hand side with names of its own, an item, or a change in place


def settle(machine: Machine, thing: Object, entered: ir.Function | None) -> None:
    """Bring the instance from what its constructor left to what any method may find."""
    if entered is not None and entered.name in CONSTRUCTORS:
        return
    saved = machine.sinks, machine.frame, machine.uses.reached, machine.deepest
    machine.sinks, machine.uses.reached = [(Log(), machine.world.full)], set()
    machine.deepest = 2
    try:
        settle_all(machine, thing)
    finally:
        machine.sinks, machine.frame, machine.uses.reached, machine.deepest = saved


def settle_all(machine: Machine, thing: Object) -> None:
    """The instance, and those that it holds."""
    todo, done = [(thing, 0)], set[int]()
    while todo:
        one, depth = todo.pop()
        if not isinstance(one.kind, ClassRef) or one.number in done:
            continue
        done.add(one.number)
        for owner in reversed(classes.linearise(machine, one.kind)):
            if isinstance(owner, ClassRef):
                machine.uses.consulted |= {(owner.path, method.qualname) for method in methods(owner)}
                for name, written in written_by(machine, owner).items():
                    outer, _, inner = name.rpartition(".")
                    for holder in objects_in(one.attributes.get(outer)) if outer else (one,):
                        update(machine, holder, inner, one, owner, written)
        filled_from_outside.fill(machine, one)
        if depth < 2:
            todo += [(inner, depth + 1) for held in one.attributes.values() for inner in objects_in(held)]


def objects_in(value: Value | None) -> Iterator[Object]:
    for held in value.lanes if isinstance(value, Row) else (value,):
        if isinstance(held, Unknown) and held.like is not None:
            held = held.like
        if isinstance(held, Object):
            yield held


def update(machine: Machine, holder: Object, name: str, thing: Object, owner: ClassRef, written: Written) -> None:
    """`holder` is the instance `thing` of a class, or what it holds."""
    held = holder.attributes.get(name)
    if isinstance(held, Row) or lacking.lanes_with(machine, holder, name) is not None:
        return
    found = start = held or of_class(machine, holder, name)
    for expression in written.values:
        value = evaluated(machine, thing, owner, expression)
        if value is None or value == found:
            continue
        if isinstance(value, Const) and isinstance(found, Const | None):
            found = anything(machine, owner, name)
        elif found is None or isinstance(value, Row):
            found = value
        else:
            found = prefer(found, value)
    own = filled_by_some.by_some(machine, owner, name, found)
    if own is not None:
        found = own
    elif isinstance(found, Object) and found.kind in CONTAINERS and (written.unclear or len(written.values) > 0):
        found = filled(machine, found, anything(machine, owner, name))
    elif isinstance(found, Const | Tuple) and written.unclear:
        found = anything(machine, owner, name)
    if found is not None and found is not start:
        machine.set(holder, name, found, machine.world.full)


def filled(machine: Machine, container: Object, item: Unknown) -> Object:
    """The container with whatever was put into it since; settings that stood under a key are there still, flags and
    numbers may be others by now."""
    made = machine.new(str(container.kind), machine.world.full)
    made.attributes["[]"] = item
    for key, held in entries(container) if container.kind == "dict" else ():
        if isinstance(held, Object) and held.kind in CONTAINERS:
            made.attributes["key", key] = filled(machine, held, item)
        elif not isinstance(held, Const | Tuple):
            made.attributes["key", key] = held
    return made


def of_class(machine: Machine, holder: Object, name: str) -> Value | None:
    """`resumed = False` in the body of the class"""
    found = classes.in_class(machine, holder.kind, name) if isinstance(holder.kind, ClassRef) else None
    plain = isinstance(found, Const | Tuple) or (isinstance(found, Object) and found.kind in CONTAINERS)
    return found if plain else None


def counted(machine: Machine, thing: Object, mask: int) -> None:
    """A framework calls the methods turn after turn: what they count has come to any number by then."""
    if not isinstance(thing.kind, ClassRef):
        return
    for owner in classes.linearise(machine, thing.kind):
        for name, written in written_by(machine, owner).items() if isinstance(owner, ClassRef) else ():
            held = thing.attributes.get(name)
            if written.unclear and isinstance(held, Const) and type(held.value) in (int, float):
                machine.set(thing, name, anything(machine, thing.kind, name), mask)


def anything(machine: Machine, owner: ClassRef, name: str) -> Unknown:
    return machine.unknown("state", owner.name, name)


def evaluated(machine: Machine, thing: Object, owner: ClassRef, expression: ir.Expr) -> Value | None:
    """What the right-hand side gives, seen from outside the method."""

    if isinstance(expression, ir.Const):
        return machine.evaluate(expression, machine.world.full)
    method = next((one for one in owner.attributes.values() if isinstance(one, FunctionRef)), None)
    if method is None or method.closure is None:
        return None
    frame = Frame(owner.path, owner.name, method.closure.globals, method.closure, None, machine.world.full)
    frame.variables["self"] = thing
    machine.frame = frame
    return machine.evaluate(expression, machine.world.full)


def written_by(machine: Machine, owner: ClassRef) -> dict[str, Written]:
    known = machine.notes.setdefault("written by methods", {})
    found: dict[str, Written] | None = known.get(id(owner.node))
    if found is None:
        found = known[id(owner.node)] = {}
        for method in methods(owner):
            gather(machine, method, found)
    return found


def gather(machine: Machine, method: ir.Function, found: dict[str, Written]) -> None:
    own = {param.name for param in method.params[1:]}
    inside = list(every_node(method.body))
    for node in inside:
        if isinstance(node, ir.Stmt):
            own.update(names_bound(node))
    for node in inside:
        if isinstance(node, ir.Assign | ir.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ir.Assign) else (node.target,)
            for target in targets:
                name = written_name(target)
                if name and worth_evaluating(machine, node.value, own):
                    found.setdefault(name, Written()).values.append(node.value)
                else:
                    for part in every_node((target,)):
                        note_change(part, found)
        elif isinstance(node, ir.AugAssign):
            note_change(node.target, found)
        elif isinstance(node, ir.For):
            for part in every_node((node.target,)):
                note_change(part, found)
        elif isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name in CHANGES:
            note_change(node.func.value, found)


def note_change(target: Any, found: dict[str, Written]) -> None:
    while isinstance(target, ir.Index):
        target = target.value
    name = written_name(target)
    if name:
        found.setdefault(name, Written()).unclear = True


def written_name(target: Any) -> str:
    """`self.name`, or `self.state.name` as `state.name`"""
    outer = attribute_name(target.value) if isinstance(target, ir.Attr) else ""
    return f"{outer}.{target.name}" if outer else attribute_name(target)


def worth_evaluating(machine: Machine, expression: ir.Expr, own: set[str]) -> bool:
    """Constants, and whatever uses no name of the method and leads to a library that means something."""
    if isinstance(expression, ir.Const):
        return True
    words = set()
    for node in every_node((expression,)):
        if isinstance(node, ir.Lambda | ir.Comp | ir.Yield | ir.Await | ir.Walrus):
            return False
        if isinstance(node, ir.Name):
            if node.id in own:
                return False
            words.add(node.id)
        elif isinstance(node, ir.Attr):
            words.add(node.name)
    return not words.isdisjoint(machine.meaningful)


def names_bound(statement: ir.Stmt) -> Iterator[str]:
    targets: tuple[Any, ...] = ()
    if isinstance(statement, ir.Assign):
        targets = tuple(statement.targets)
    elif isinstance(statement, ir.AnnAssign | ir.AugAssign | ir.For):
        targets = (statement.target,)
    elif isinstance(statement, ir.With):
        targets = tuple(target for _, target in statement.items if target is not None)
    elif isinstance(statement, ir.Function | ir.Class):
        yield statement.name
    elif isinstance(statement, ir.Import | ir.ImportFrom):
        names: tuple[tuple[str, str | None], ...] = statement.names
        yield from (alias or name.partition(".")[0] for name, alias in names)
    for part in every_node(targets):
        if isinstance(part, ir.Name):
            yield part.id
