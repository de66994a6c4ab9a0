"""Which processes does a program start by hand, and who is who among them?

`for number in range(count): Process(target=work, args=(number, count)).start()` is a spawn written out, when what they
run begins a process group: all ranks run the function, each with a number of its own. Which number is the rank, they
tell the process group themselves (`init_process_group(rank=number)`), or the environment that it asks; from there on
that value is the rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import children, every_node, variables_in
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import group_start, identity, spawning
from dtlint.machine.library.python.given_away import given_away
from dtlint.machine.values import Bound, Const, FunctionRef, Object, Symbol, Tuple, Unknown, Value

BEGINS = "init_process_group"
WAITING = "processes made in a loop"
NUMBERS = frozenset({"rank", "local_rank", "node"})
WRITTEN = frozenset({"builtins.str", "text"})
# Scripts that start their ranks by hand also have a way to run as one: both ways together must not cost too much.
DEEPEST, NEAR = 8, 4


def started(machine: Machine, call: Invocation) -> None:
    """A process is made: one of many alike that make up the world?"""
    target, loop = call.get("target"), loop_variables(machine, call.node)
    function = target.function if isinstance(target, Bound) else target
    if not isinstance(function, FunctionRef) or not loop or call.node is None or not begins(machine, function):
        return
    own: dict[str, Value] = {}
    given = numbered(machine, call, "args", loop, own), named(machine, call, loop, own)
    # the last one that is made at a place stands for all of them
    kept = put_down(machine, call, own)
    machine.facts.setdefault(WAITING, {})[id(call.node)] = (target, *given, kept, call.mask)


def after_loop(machine: Machine) -> None:
    """The loops that made processes are through: now they run, once for all."""
    from dtlint.machine.names.assignment import write_attribute

    waiting = machine.facts.get(WAITING)
    if not waiting or machine.frame.loops or given_away(machine):
        return
    machine.facts[WAITING] = {}
    for target, arguments, keywords, kept, mask in waiting.values():
        for base, name, value in kept:
            write_attribute(machine, base, name, value, mask)
        spawning.on_all_ranks(machine, target, arguments, keywords, mask & ~machine.frame.left, DEEPEST, NEAR)


def begins(machine: Machine, function: FunctionRef) -> bool:
    """Does it begin a process group, itself or in a function it calls by name?"""
    starters = group_start.starters(machine, BEGINS)
    node = function.node
    return isinstance(node, ir.Function) and (node.name in starters or not starters.isdisjoint(node.tokens))


def put_down(machine: Machine, call: Invocation, own: dict[str, Value]) -> list[tuple[Value, str, Value]]:
    """`args.local_rank = number` in the loop, before `Process(target=work, args=(number, args))` is made: each process
    finds its own number there. What is written onto, the name, and the number."""
    found: list[tuple[Value, str, Value]] = []
    for statement in turn_of(machine, call.node):
        value = own.get(statement.value.id) if isinstance(statement.value, ir.Name) else None
        for target in statement.targets if value is not None else ():
            if isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and value is not None:
                found.append((machine.evaluate(target.value, call.mask), target.name, value))
    return found


def turn_of(machine: Machine, call: ir.Call | None) -> list[ir.Assign]:
    """The assignments in the body of the loop right around a call."""
    top = machine.frame.node
    nodes = every_node(top.body if isinstance(top, ir.Function) else machine.project.tree(machine.frame.path).body)
    around_call = [
        node for node in nodes if isinstance(node, ir.For) and any(one is call for one in every_node(node.body))
    ]
    return [one for one in straight(around_call[-1].body) if isinstance(one, ir.Assign)] if around_call else []


def straight(body: Iterable[ir.Stmt]) -> Iterator[ir.Stmt]:
    """What every turn does, in a `with` or not."""
    for one in body:
        if isinstance(one, ir.With):
            yield from straight(one.body)
        else:
            yield one


def numbered(
    machine: Machine, call: Invocation, param: str, loop: frozenset[str], own: dict[str, Value]
) -> tuple[Value, ...]:
    """The arguments as any of them gets it: what comes out of the loop is a number of its own, known to nobody."""
    given, written = call.get(param), call.expression(param)
    items = containers.items_of(machine, given) if given is not None else ()
    parts = written.items if isinstance(written, ir.Tup | ir.ListExpr) else ()
    if not items or len(parts) != len(items):
        return tuple(items or ())
    return tuple(of_process(machine, item, part, loop, own) for item, part in zip(items, parts, strict=True))


def named(
    machine: Machine, call: Invocation, loop: frozenset[str], own: dict[str, Value]
) -> tuple[tuple[str, Value], ...]:
    given, written = call.get("kwargs"), call.expression("kwargs")
    if not isinstance(given, Object) or given.kind != "dict":
        return ()
    parts = dict(written.items) if isinstance(written, ir.DictExpr) else {}
    spelled = {key.value: part for key, part in parts.items() if isinstance(key, ir.Const)}
    held = {str(key[1]): value for key, value in given.attributes.items() if isinstance(key, tuple)}
    return tuple((name, of_process(machine, value, spelled.get(name), loop, own)) for name, value in held.items())


def of_process(machine: Machine, value: Value, written: Any, loop: frozenset[str], own: dict[str, Value]) -> Value:
    if not isinstance(value, Object | Tuple) and not variables_in(written).isdisjoint(loop):
        number = machine.fresh("number of a process")
        if isinstance(written, ir.Name):
            own[written.id] = number
        return number
    return spawning.made_before(value)


def loop_variables(machine: Machine, call: ir.Call | None) -> frozenset[str]:
    """What changes from turn to turn in the loops around a call, here in this scope."""
    top = machine.frame.node
    body = top.body if isinstance(top, ir.Function) else machine.project.tree(machine.frame.path)
    found = around(body, call) if call is not None else None
    return frozenset(found or ())


def around(node: Any, call: ir.Call) -> set[str] | None:
    """The variables of the loops on the way down to the call; None where it is not below."""
    if node is call:
        return set()
    if isinstance(node, ir.Function | ir.Class | ir.Lambda):
        return None
    for child in node if isinstance(node, tuple) else children(node):
        found = around(child, call)
        if found is not None:
            return found | bound_by(node)
    return None


def bound_by(node: Any) -> set[str]:
    if isinstance(node, ir.For):
        return variables_in(node.target) | set(node.assigned)
    if isinstance(node, ir.Comp):
        return {name for clause in node.clauses for name in variables_in(clause.target)}
    return set()


def told(machine: Machine, call: Invocation) -> None:
    """`init_process_group(rank=number)`: the number is the rank of this process from here on, wherever it is read."""
    is_from_here(machine, call.get("rank"), "rank", "the rank given to the process group")


def told_the_environment(machine: Machine, name: Value, value: Value) -> None:
    """`os.environ["RANK"] = str(number)`, ahead of the process group that asks there."""
    row = machine.knowledge.environment.get(name.value) if isinstance(name, Const) else None
    node = machine.frame.node
    if row is None or row.value not in NUMBERS or machine.frame.loops or not isinstance(node, ir.Function):
        return
    if not group_start.starters(machine, BEGINS).isdisjoint(node.tokens):
        number = number_in(value)
        both = isinstance(number, Unknown) and number.symbol in machine.told  # on one machine a rank is both
        if row.value == "rank" or not both:
            is_from_here(machine, number, row.value, f"written to `{row.name}` of this process")


def number_in(text: Value) -> Value:
    """`str(number)`"""
    written = text.symbol.key if isinstance(text, Unknown) else ()
    if len(written) == 2 and written[0] in WRITTEN and isinstance(written[1], Symbol):
        return Unknown(written[1], text.cause)
    return text


def is_from_here(machine: Machine, number: Value | None, what: str, how: str) -> None:
    if isinstance(number, Unknown) and number.cause is None and number.symbol.key[0] not in ("deep",):
        known = dict(machine.told)
        known[number.symbol] = identity.lane_value_of(machine, what, how)
        machine.told = known
        machine.remembered = {}  # calls before knew less
