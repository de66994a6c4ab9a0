"""What do `cond`, `switch`, `while_loop`, `scan`, `map` and `tree.map` run, and do all devices run the same?

Callbacks run in logs of their own. A predicate that varies over an axis matters where the sides make different
collectives over that axis; a loop whose condition varies matters where its body makes any.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from dtlint.findings import Step
from dtlint.machine.contents import containers
from dtlint.machine.contents.opaque import deep_cause, opaque
from dtlint.machine.control.turns import moved_counters, note_turn, turn_again
from dtlint.machine.core import Machine
from dtlint.machine.joining import join
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.feeding import whole_batches
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import axes as jax_axes
from dtlint.machine.library.jax import collectives as jax_collectives
from dtlint.machine.library.jax import copies as jax_copies
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import flow as jax_flow
from dtlint.machine.library.jax.facts import words
from dtlint.machine.logs import Choice, Decision, Event, Log, Loop
from dtlint.machine.values import NONE, ClassRef, Const, FunctionRef, Object, Symbol, Tuple, Unknown, Value
from dtlint.machine.walks import walk

FEW = 16  # leaves of a tree that are told apart
SHAPE = frozenset({"plain", "device axis"})  # facts that are true of one row, not of all


def stacked(machine: Machine, value: Value) -> Value:
    """What every turn has made, as one array."""
    return jax_facts.mapped_tree(machine, value, lambda one: jax_facts.with_facts(machine, one, (), SHAPE))


def separately(machine: Machine, mask: int, run: Callable[[], Value]) -> tuple[Log, Value]:
    log = Log()
    saved = machine.sinks
    machine.sinks = [(log, mask)]
    try:
        return log, run()
    finally:
        machine.sinks = saved


def callback(machine: Machine, function: Value | None, arguments: tuple[Value, ...], mask: int) -> Value:
    from dtlint.machine.functions import calls

    if function is None:
        return machine.fresh("nothing")
    return calls.call_value(machine, function, arguments, (), mask)


def device_calls(log: Log) -> list[Event]:
    return [node for node, _ in walk(log) if isinstance(node, Event) and node.kind == "device-collective"]


def said(events: list[Event]) -> list[tuple[Any, ...]]:
    return [(event.op, event.extra.get("axes")) for event in events]


def varying(machine: Machine, value: Value) -> set[str]:
    """The axes of devices over which a value differs; rows of a vmap are no devices."""
    devices = {axis for mapping in jax_facts.mappings(machine) if mapping.kind != "vmap" for axis in mapping.axes or ()}
    return {tag[2] for tag in words(jax_facts.deep((value,)), "varies") if tag[2] in devices}


def over(events: list[Event], axes: set[str]) -> list[Event]:
    return [event for event in events if not axes.isdisjoint(event.extra.get("axes") or ())]


# --- branches --------------------------------------------------------------------------------------------------


def cond(machine: Machine, call: Invocation) -> Value | None:
    if len(call.arguments) < 3 and call.get("true_fun") is None:
        return None
    operands = call.arguments[3:] or tuple(value for name, value in call.keywords if name == "operand")
    predicate = call.get("pred") or (call.arguments[0] if call.arguments else NONE)
    return branches(machine, call, predicate, (call.get("true_fun"), call.get("false_fun")), operands)


def switch(machine: Machine, call: Invocation) -> Value | None:
    listed = call.get("branches")
    items = containers.items_of(machine, listed) if listed is not None else None
    if not items:
        return None
    return branches(machine, call, call.get("index") or NONE, items, call.arguments[2:])


def branches(
    machine: Machine, call: Invocation, predicate: Value, functions: Any, operands: tuple[Value, ...]
) -> Value:
    jax_flow.started(machine)
    logs: list[Log] = []
    results: list[Value] = []
    for function in functions:
        side = functools.partial(callback, machine, function, operands, call.mask)
        log, value = separately(machine, call.mask, side)
        logs.append(log)
        results.append(value)
    axes = varying(machine, predicate)
    different = next(
        (log for log in logs[1:] if said(over(device_calls(log), axes)) != said(over(device_calls(logs[0]), axes))),
        None,
    )
    if axes and different is not None:
        events = over(device_calls(logs[0]), axes) or over(device_calls(different), axes)
        met(machine, call, axes, events[0], f"jax.lax.{call.name.rpartition('.')[2]}")
    if different is None and len({bool(device_calls(log)) for log in logs}) == 2:
        jax_collectives.reduced_now_and_then(machine, operands)
    emit_sides(machine, call.mask, logs, predicate)
    return merged(machine, results, predicate if not axes or different is None else NONE)


def emit_sides(machine: Machine, mask: int, logs: list[Log], predicate: Value) -> None:
    """The sides exclude each other: nested choices."""
    if not any(log.nodes for log in logs):
        return
    symbol = predicate.symbol if isinstance(predicate, Unknown) else machine.symbols.fresh("cond")
    rest = logs[-1]
    for log in reversed(logs[:-1]):
        frame = machine.frame
        decision = Decision("branch", frame.path, machine.current_at, "the predicate", None, mask, mask, frame.scope)
        choice = Choice(symbol, decision, mask, frame.guards)
        choice.then, choice.other = log, rest
        rest = Log()
        rest.nodes.append(choice)
        symbol = machine.symbols.fresh("cond")
    for node in rest.nodes:
        machine.emit(node)


def merged(machine: Machine, results: list[Value], predicate: Value) -> Value:
    symbol = machine.symbols.fresh("cond")
    result = results[0]
    for other in results[1:]:
        result = either(machine, result, other, symbol)
    more = words(jax_facts.deep((predicate,)), "varies")
    return (
        jax_facts.mapped_tree(machine, result, lambda one: jax_facts.with_facts(machine, one, more)) if more else result
    )


def either(machine: Machine, one: Value, other: Value, question: Symbol) -> Value:
    """Both sides give trees of one form: what comes out has each leaf of the one or of the other."""
    if isinstance(one, Tuple) and isinstance(other, Tuple) and len(one.items) == len(other.items):
        pairs = zip(one.items, other.items, strict=True)
        return Tuple(tuple(either(machine, mine, its, question) for mine, its in pairs))
    if one is not other and isinstance(one, Object) and isinstance(other, Object) and like_trees(one, other):
        there = other.attributes
        return containers.mapped_items(one, lambda name, held: either(machine, held, there[name], question))
    return join(one, other, machine.symbols, question, None)


def like_trees(one: Object, other: Object) -> bool:
    """Two dictionaries, or two states of one class of the project, with leaves of the same names."""
    is_tree = one.kind == "dict" or isinstance(one.kind, ClassRef)
    return is_tree and one.kind == other.kind and one.attributes.keys() == other.attributes.keys()


def met(machine: Machine, call: Invocation, axes: set[str], event: Event, what: str) -> None:
    text = f"`{event.op}` over {', '.join(map(repr, sorted(axes)))}"
    steps: tuple[Step, ...] = (jax_facts.step_at((event.path, event.at, ""), text),)
    mapping = jax_facts.device_mapping(machine)
    if mapping is not None:
        steps = (jax_facts.step_at(mapping.where, f"mapped over the devices by {mapping.kind}"), *steps)
    jax_facts.note(machine, "varying predicate", call.mask, None, steps, reduces=event.op, what=what)


# --- loops -----------------------------------------------------------------------------------------------------


def turned(machine: Machine, mask: int, text: str, run: Callable[[], Value]) -> tuple[Loop, Value]:
    """A callback that runs many times, as one loop in the log."""
    frame = machine.frame
    decision = Decision("loop", frame.path, machine.current_at, text, None, mask, mask, frame.scope)
    loop = Loop(decision, mask, frame.guards, None, None, None, "callback")
    first, loop.objects = machine.symbols.count, machine.objects
    loop.body, value = separately(machine, mask, run)
    loop.born = (first, machine.symbols.count)
    return loop, value


def widened(machine: Machine, value: Value) -> Value:
    def leaf(one: Value) -> Value:
        if isinstance(one, FunctionRef | Object):
            return one
        return Unknown(machine.symbols.of("scan", machine.symbols.fresh("carry")), one.cause, one.tags)

    return jax_facts.mapped_tree(machine, value, leaf)


def entered(loop: Loop, start: Value, carry: Value) -> None:
    """What the first turn is given."""
    for before, one in jax_facts.beside(start, carry):
        if isinstance(before, Unknown) and isinstance(one, Unknown):
            loop.entered[one.symbol] = before.symbol


def own(machine: Machine, carry: Value) -> Value:
    """A traced function is given a tree of its own, and may write into it."""
    return jax_facts.mapped_tree(machine, carry, lambda leaf: leaf)


def symbols_of(value: Value) -> set[Symbol]:
    return {leaf.symbol for leaf in jax_facts.leaves(value, 6) if isinstance(leaf, Unknown)}


def carry_on(loop: Loop, carry: Value, after: Value) -> None:
    """Carried leaves that the body hands on unchanged are the same in every turn, if it does so wherever it returns."""
    ways = (after, *after.instead) if isinstance(after, Object) else (after,)
    kept = set.intersection(*map(symbols_of, ways))
    loop.variant |= {symbol for symbol in symbols_of(carry) if symbol not in kept}
    for pairs in zip(*(jax_facts.beside(carry, way) for way in ways), strict=False):
        one, left = pairs[0]
        if len({token(other) for _, other in pairs}) > 1:
            continue  # this or that, and who knows which of them has been used up
        if isinstance(one, Unknown) and not isinstance(left, Tuple | Object):
            loop.carried[one.symbol] = left
            loop.kept_by.append((one.symbol, left))


def steady(machine: Machine, carry: Value, run: Callable[[Value], Value]) -> Value:
    """Facts of the carry after one turn are facts before the next."""
    first = run(carry)
    more: dict[Symbol, set[Any]] = {}
    for one, later in jax_facts.beside(carry, first):
        if isinstance(one, Unknown):
            more.setdefault(one.symbol, set()).update(words(jax_facts.deep((later,)), "varies"))

    def leaf(one: Value) -> Value:
        if not isinstance(one, Unknown):
            return one
        return Unknown(one.symbol, one.cause, one.tags | more.get(one.symbol, set()))

    return jax_facts.mapped_tree(machine, carry, leaf)


def while_loop(machine: Machine, call: Invocation) -> Value | None:
    jax_flow.started(machine)
    test, body = call.get("cond_fun"), call.get("body_fun")
    start = call.get("init_val") or NONE
    carry = widened(machine, start)

    def quiet(state: Value) -> Value:
        given = own(machine, state)
        return separately(machine, call.mask, lambda: callback(machine, body, (given,), call.mask))[1]

    first = machine.symbols.count  # what the quiet turn makes is new in every turn, too: its calls may be taken from it
    carry = steady(machine, carry, quiet)
    box: list[Value] = []

    def once() -> Value:
        box.append(callback(machine, test, (own(machine, carry),), call.mask))
        return callback(machine, body, (own(machine, carry),), call.mask)

    loop, after = turned(machine, call.mask, "while_loop", once)
    loop.born = (first, loop.born[1])
    entered(loop, start, carry)
    carry_on(loop, carry, after)
    axes = varying(machine, box[0])
    events = over(device_calls(loop.body), axes)
    if axes and events:
        met(machine, call, axes, events[0], "jax.lax.while_loop")
    if loop.body.nodes:
        machine.emit(loop)
    return after if isinstance(after, Tuple | Unknown | Object) else carry


def fori_loop(machine: Machine, call: Invocation) -> Value | None:
    jax_flow.started(machine)
    body = call.get("body_fun")
    start = call.get("init_val")
    if body is None or start is None:
        return None
    carry = widened(machine, start)
    index = machine.fresh("turn")
    given = own(machine, carry)
    loop, after = turned(machine, call.mask, "fori_loop", lambda: callback(machine, body, (index, given), call.mask))
    loop.variant.add(index.symbol)
    entered(loop, start, carry)
    carry_on(loop, carry, after)
    axes = varying(machine, call.get("upper") or NONE) | varying(machine, call.get("lower") or NONE)
    events = over(device_calls(loop.body), axes)
    if axes and events:
        met(machine, call, axes, events[0], "jax.lax.fori_loop")
    if loop.body.nodes:
        machine.emit(loop)
    return after


def scan(machine: Machine, call: Invocation) -> Value | None:
    jax_flow.started(machine)
    function = call.get("f")
    if function is None:
        return None
    start = call.get("init") or NONE
    carry = widened(machine, start)
    row = element_of(machine, call.get("xs"))
    given = own(machine, carry)
    loop, result = turned(machine, call.mask, "scan", lambda: callback(machine, function, (given, row), call.mask))
    loop.variant |= symbols_of(row)
    entered(loop, start, carry)
    after, out = result, result
    if isinstance(result, Tuple) and len(result.items) == 2:
        after, out = result.items
        carry_on(loop, carry, after)
    else:
        loop.variant |= symbols_of(carry)
    if loop.body.nodes:
        machine.emit(loop)
    return Tuple((after, stacked(machine, out))) if isinstance(result, Tuple) else None


def element_of(machine: Machine, xs: Value | None) -> Value:
    """One row of what is scanned or mapped: new in every turn."""
    from dtlint.machine.library.jax import keys as jax_keys

    def leaf(one: Value) -> Value:
        if not isinstance(one, Unknown):
            return one
        taken = jax_keys.one_of(machine, one, None) or one
        return Unknown(machine.symbols.fresh("row"), taken.cause, jax_facts.without(taken.tags, SHAPE))

    return jax_facts.mapped_tree(machine, xs, leaf) if xs is not None else NONE


def map_(machine: Machine, call: Invocation) -> Value | None:
    jax_flow.started(machine)
    row = element_of(machine, call.get("xs"))
    loop, result = turned(machine, call.mask, "map", lambda: callback(machine, call.get("f"), (row,), call.mask))
    loop.variant |= symbols_of(row)
    if loop.body.nodes:
        machine.emit(loop)
    return stacked(machine, result)


def tree_map(machine: Machine, call: Invocation) -> Value | None:
    """`tree.map(f, tree, *more)`: f runs for every leaf, and may be told where it stands."""
    function = call.get("f") or (call.arguments[0] if call.arguments else None)
    trees = call.arguments[1:]
    if function is None or not trees:
        return None
    where = (machine.fresh("path"),) if call.row.extra.get("with_path") else ()

    def run(*leaves: Value) -> Value:
        return callback(machine, function, (*where, *leaves), call.mask)

    if len(trees) == 1 and says_where(trees[0]):
        return jax_facts.mapped_tree(machine, trees[0], run)
    rows = tuple(leaf_of(machine, tree) for tree in trees)
    given_away(machine, trees, rows)
    mark, doubts = len(machine.journal), len(machine.doubtful)
    loop, result = turned(machine, call.mask, "every leaf", lambda: run(*rows))
    counters = moved_counters(machine, mark, loop.objects)
    if counters:
        turn_again(machine, counters, mark)
        loop, result = turned(machine, call.mask, "every leaf", lambda: run(*rows))
    jax_copies.copied_whole(machine, trees, rows)
    note_turn(machine, loop, mark, doubts)  # it is Python that calls the function, again for every leaf
    for row in (*where, *rows):
        loop.variant |= symbols_of(row)
    if loop.body.nodes:
        machine.emit(loop)
    if isinstance(result, Unknown):
        return like(machine, trees, rows, result, call.mask)
    if isinstance(result, Object) and jax_axes.is_layout(result):
        return jax_axes.divided_one(
            machine, result
        )  # one layout stands for a tree of them, where each leaf has the same or another like it
    return machine.fresh("tree") if not isinstance(result, Tuple) else result


def like(machine: Machine, trees: tuple[Value, ...], rows: tuple[Unknown, ...], leaf: Unknown, mask: int) -> Value:
    """The same tree again, with other leaves."""
    of_each = parts_of(machine, trees[0])
    if of_each is None:
        return leaf
    causes = [leaf.cause] * len(of_each)
    before, now = rows[0].cause, leaf.cause
    if len(trees) == 1 and before is not None and now is not None and before.kind == now.kind:
        # a part differs if it did, whatever stands beside it
        causes = [deep_cause(machine, (part,)) for part in of_each]
    symbols = [machine.symbols.of("item", leaf.symbol, index) for index in range(len(of_each))]
    made = [Unknown(one, cause, leaf.tags, leaf.like) for one, cause in zip(symbols, causes, strict=True)]
    if isinstance(trees[0], Tuple):
        return Tuple(tuple(made))
    listed = machine.new("list", mask)
    listed.attributes["[]"] = Tuple(tuple(made))
    return listed


def parts_of(machine: Machine, tree: Value) -> tuple[Value, ...] | None:
    """What a tuple or a list holds, if each item of it is known."""
    if isinstance(tree, Tuple):
        return tree.items
    is_list = isinstance(tree, Object) and tree.kind == "list"
    return containers.items_of(machine, tree) if is_list else None


def says_where(tree: Value) -> bool:
    """Is it no tree of arrays, but one that says how arrays lie on the devices, or the names of such layouts?"""
    leaves = [leaf for leaf in jax_facts.leaves(tree) if leaf != NONE]
    return 0 < len(leaves) <= FEW and all(
        isinstance(leaf.value, str) if isinstance(leaf, Const) else jax_axes.is_spec(leaf) for leaf in leaves
    )


def given_away(machine: Machine, trees: tuple[Value, ...], rows: tuple[Unknown, ...]) -> None:
    """Whoever reads any leaf of a donated tree reads what was donated."""
    donated = machine.facts.get(jax_facts.DONATED, {})
    for tree, row in zip(trees, rows, strict=True) if donated else ():
        if isinstance(tree, Object) and tree.kind == "<spread>":  # `*snapshots`: one tree after the other
            tree = tree.attributes["value"]
        for leaf in jax_facts.leaves(tree, 6):
            base = jax_flow.base_of(leaf.symbol, donated) if isinstance(leaf, Unknown) else None
            if base is not None:
                donated[row.symbol] = base
                break
            if isinstance(leaf, Unknown) and jax_flow.kept_follower(machine, leaf.symbol) is not None:
                machine.facts.setdefault(jax_flow.LEAVES, {})[row.symbol] = leaf.symbol
                break


def leaf_of(machine: Machine, tree: Value) -> Unknown:
    """Any leaf of a tree: it has the facts of all of them."""
    found = list(jax_facts.leaves(tree, 6))
    tags = jax_facts.deep((tree,)) | jax_facts.partly_agreed((tree,))
    cause = next((leaf.cause for leaf in found if leaf.cause is not None), None)
    symbol = machine.symbols.fresh("leaf")
    for leaf in found:
        if isinstance(leaf, Unknown) and whole_batches.unpadded(leaf):  # how long it is stays known
            marks = provenance.marks(leaf, whole_batches.HAND_CUT, 0)
            if marks:
                return Unknown(machine.symbols.of("leaf", leaf.symbol, symbol), cause, frozenset((*tags, *marks)))
    return Unknown(symbol, cause, frozenset(tags))


def shapes_of(machine: Machine, call: Invocation) -> Value:
    """`jax.eval_shape(make, key)`: the function is only traced, so that nothing is drawn and nothing is said."""
    return opaque(machine, call.name, *call.values)


MODELS: dict[str, Any] = {
    "jax_eval_shape": shapes_of,
    "jax_cond": cond,
    "jax_switch": switch,
    "jax_while_loop": while_loop,
    "jax_fori_loop": fori_loop,
    "jax_scan": scan,
    "jax_map": map_,
    "jax_tree_map": tree_map,
}
