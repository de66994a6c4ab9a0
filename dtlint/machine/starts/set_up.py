"""What do an instance's other methods put there, when its constructor has not?

`setup()`, `from_pretrained()`, `build()`: methods that make the model, wrap it and start the ranks, for the methods
that train. Each is run once on the instance, as nobody is seen to call it: what it communicates is set aside, and of
what it writes only those things are kept that were not there before. What a framework calls in one process of each
node alone is run for those ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import attribute_name, every_node
from dtlint.machine.core import Machine, OutOfBudget
from dtlint.machine.functions import entering, following
from dtlint.machine.logs import Decision, Guards, Log
from dtlint.machine.names import classes
from dtlint.machine.names.frames import Frame
from dtlint.machine.starts import run_before
from dtlint.machine.values import BY_RANK, CONTAINERS, NONE, ClassRef, FunctionRef, Object, Row, Slots, Value

MOST = 4  # methods of one class
DEPTH = 6
COST = 20_000  # steps of one method
Arguments = Callable[[Machine, ir.Function, bool], tuple[Value, ...]]


def by_other_methods(machine: Machine, thing: Object, arguments: Arguments) -> None:
    """Run those methods that give the instance what others of its methods ask for."""
    if not isinstance(thing.kind, ClassRef):
        return
    saved = machine.sinks, machine.frame, machine.uses.reached, machine.deepest
    machine.uses.reached = set()
    machine.deepest = DEPTH
    try:
        for owner in reversed(classes.linearise(machine, thing.kind)):
            if isinstance(owner, ClassRef):
                of_class(machine, thing, owner, arguments)
    finally:
        machine.sinks, machine.frame, machine.uses.reached, machine.deepest = saved


def of_class(machine: Machine, thing: Object, owner: ClassRef, arguments: Arguments) -> None:
    asked, makers = names_of(machine, owner)
    wanted = set(lacking(thing, owner, asked))
    ahead = prepares(machine, thing.kind) if isinstance(thing.kind, ClassRef) else set()
    for method, names in [(one, names) for one, names in makers if wanted & names][:MOST]:
        made = set(lacking(thing, owner, wanted & names))
        if made and method.name not in ahead:
            by_method(machine, thing, owner, method, arguments, made)
    for method, names in makers:
        others = {name for one, more in makers if one.name not in ahead for name in more}
        made = set(lacking(thing, owner, wanted & names - others)) if method.name in ahead else set()
        if made and not called_by_hand(machine, method.name):
            by_method(machine, thing, owner, method, arguments, made, first_of_nodes(machine, owner, method))


def names_of(machine: Machine, owner: ClassRef) -> tuple[set[str], list[tuple[ir.Function, set[str]]]]:
    """The attributes of itself that a class asks for, and its methods with those that they put there."""
    known = machine.notes.setdefault("set up", {})
    if id(owner.node) not in known:
        asking = following.own_names(machine).asking
        ahead = prepares(machine, owner)
        methods = [
            (one, *names_in(one, by_some=one.name in ahead or not one.tokens.isdisjoint(asking)))
            for one in run_before.methods(owner)
        ]
        asked = {name for _, names, _ in methods for name in names}
        makers = [(one, made) for one, _, made in methods if one.name in ahead or reaches(machine, one)]
        known[id(owner.node)] = asked, makers
    found: tuple[set[str], list[tuple[ir.Function, set[str]]]] = known[id(owner.node)]
    return found


def prepares(machine: Machine, owner: ClassRef) -> set[str]:
    """Methods that the framework of the class calls in one process of each node, ahead of the others."""
    return {name for known in classes.library_types(machine, owner) for name in known.prepares}


def first_of_nodes(machine: Machine, owner: ClassRef, method: ir.Function) -> Decision:
    world = machine.world
    lanes = sum(1 << lane for lane in range(0, world.size, world.per_host))
    cause = machine.cause("node", f"the framework calls `{method.name}` in the first process of each node")
    at = method.at or (1, 1, 1, 1)
    return Decision("branch", owner.path, at, method.name, cause, lanes, world.full, method.qualname)


def called_by_hand(machine: Machine, name: str) -> bool:
    """Does the program itself call a method of this name anywhere, but for that of a base?"""

    def calls(node: object) -> bool:
        called = node.func if isinstance(node, ir.Call) else None
        if not isinstance(called, ir.Attr) or called.name != name:
            return False
        return not (isinstance(called.value, ir.Call) and getattr(called.value.func, "id", "") == "super")

    paths = set(machine.project.mentioning(name)) & set(machine.project.selected)
    machine.project.looked |= paths  # asked by each unit: its answer is what the unit rests on
    known: dict[str, bool] = machine.notes.setdefault("called by hand", {})
    if name not in known:
        modules = [machine.project.tree(path) for path in paths]
        known[name] = any(calls(node) for module in modules for node in every_node(module.body))
    return known[name]


def reaches(machine: Machine, method: ir.Function) -> bool:
    return not method.is_generator and not method.tokens.isdisjoint(machine.meaningful)


def lacking(thing: Object, owner: ClassRef, names: set[str]) -> Iterator[str]:
    for name in names:
        held = thing.attributes.get(name)
        if (held is None and name not in owner.attributes) or held == NONE:
            yield name


def by_method(
    machine: Machine,
    thing: Object,
    owner: ClassRef,
    method: ir.Function,
    arguments: Arguments,
    wanted: set[str],
    first: Decision | None = None,
) -> None:
    value = owner.attributes.get(method.name)
    if isinstance(value, FunctionRef) and value.node is method and value.closure is not None:
        run_aside(machine, value, thing, arguments(machine, method, True), thing.attributes, wanted, first)


def given_in(part: ir.Node) -> Iterator[str]:
    """The attributes of the instance that are assigned here."""
    for node in every_node(part):
        if isinstance(node, ir.Assign):
            for target in node.targets:
                for one in places(target):
                    if name := attribute_name(one):
                        yield name


def run_aside(
    machine: Machine,
    value: FunctionRef,
    thing: Object | None,
    given: tuple[Value, ...],
    filled: Mapping[Any, Value],
    wanted: set[str],
    first: Decision | None = None,
) -> None:
    """Of what it writes only the things of these names stay, in what is to be filled."""
    full, before, mark, noted = machine.world.full, machine.objects, len(machine.journal), len(machine.noted.before)
    machine.sinks = [(Log(), full)]
    machine.frame = Frame(value.path, "<module>", None, None, None, full)
    if value.closure is not None:
        machine.frame.globals = value.closure.globals
    machine.current_at = value.node.at or (1, 1, 1, 1)
    lanes = full
    if first is not None:
        machine.frame.guards, lanes = Guards(first, None), first.taken
    spent = machine.spent
    try:
        with machine.at_most(COST):
            entering.enter(machine, value, thing, given, (), lanes, None)
    except (OutOfBudget, RecursionError):
        machine.rollback(mark)  # a whole training run is no set-up
        machine.noted.taken_back(noted)
        return
    finally:
        machine.spent = spent  # the same for all that begins here
    writes, notes = machine.rollback(mark), machine.noted.taken_back(noted)
    kept = [
        (container, name, held)
        for container, name, held in writes
        if container is filled and name in wanted and is_thing(held)
    ]
    if kept:
        inside = [one for one in writes if isinstance(one[0], Slots) and one[0].serial > before]
        machine.apply_writes([*inside, *kept])
        made = [held for _, _, held in kept]
        machine.noted.again([note for note in notes if any(note[2] is one for one in made)])


def is_thing(value: Value) -> bool:
    """Something with a life of its own, or who a rank is; a number may be another one by now."""
    if isinstance(value, Row):
        return value.cause.kind in BY_RANK
    return isinstance(value, Object) and value.kind not in CONTAINERS


def names_in(method: ir.Function, by_some: bool) -> tuple[set[str], set[str]]:
    """The attributes of itself that a method reads or writes, and those to which it assigns what may be a thing; what
    only some ranks do, or do in their own way, also with a number tells them apart."""
    asked: set[str] = set()
    made: set[str] = set()
    plain = () if by_some else PLAIN
    for node in every_node(method.body):
        if name := attribute_name(node):
            asked.add(name)
        elif isinstance(node, ir.Assign) and not isinstance(node.value, plain) and not (plain and listed(node.value)):
            made.update(given_in(node))
    return asked, made


PLAIN = (ir.Const, ir.ListExpr, ir.SetExpr, ir.DictExpr, ir.Lambda, ir.FString, ir.Compare)


def listed(value: ir.Expr) -> bool:
    return isinstance(value, ir.Comp) and value.kind != "generator"


def places(target: ir.Expr) -> Iterator[ir.Expr]:
    """`a` and `b` of `a, *b = …`"""
    if isinstance(target, ir.Tup | ir.ListExpr):
        for item in target.items:
            yield from places(item)
    else:
        yield target.value if isinstance(target, ir.Star) else target
