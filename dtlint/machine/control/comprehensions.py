"""What do comprehensions give?"""

from __future__ import annotations

from functools import partial
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine import library
from dtlint.machine.contents import containers, sets
from dtlint.machine.contents.items import few, in_order, items_by_lane, short_items, turns_of, walked
from dtlint.machine.contents.opaque import all_tags, opaque
from dtlint.machine.control import over_generators
from dtlint.machine.control.turns import moved_counters, note_items, note_turn, turn_again
from dtlint.machine.core import Machine
from dtlint.machine.lanes import lanes_in, row, token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.feeding import inside, named_parts, sharding, totals
from dtlint.machine.library.jax import facts
from dtlint.machine.library.meeting import roots
from dtlint.machine.library.python import own_order
from dtlint.machine.library.training import own_gradients
from dtlint.machine.logs import Decision, Log, Loop
from dtlint.machine.names import put_items
from dtlint.machine.names.assignment import assign_target
from dtlint.machine.values import (
    MANY,
    Bound,
    Cause,
    ClassRef,
    Const,
    FunctionRef,
    Object,
    Symbol,
    Tuple,
    Unknown,
    Value,
)


def orders_asked(machine: Machine, condition: ir.Expr, mask: int) -> list[Any]:
    """`[i for i in numbers if i not in held_out]`: what was drawn for `held_out` decides here as well."""

    found: list[Any] = []
    for op, asked in condition.pairs if isinstance(condition, ir.Compare) else ():
        if isinstance(asked, ir.Call) and isinstance(asked.func, ir.Name) and len(asked.args) == 1:
            asked = asked.args[0]  # `set(held_out)`
        if op in ("in", "not in") and isinstance(asked, ir.Name | ir.Attr):
            looked_in = machine.evaluate(asked, mask)
            # what a part of an order was looked up in is such a part itself
            found.extend(mark for kind in ("order", "ordered") for mark in provenance.marks(looked_in, kind, 2))
    return found


def run_comprehension(machine: Machine, node: ir.Comp, mask: int) -> Value:
    """Comprehensions have a scope of their own and run like loops whose body is the element."""
    from dtlint.machine.contents.truth import truth
    from dtlint.machine.control.branches import branch
    from dtlint.machine.names.expressions import text_of
    from dtlint.machine.names.frames import Frame

    outer = machine.frame
    frame = Frame(outer.path, outer.scope, outer.globals, outer, outer, mask)
    frame.function = outer.function
    frame.owner = outer.owner
    frame.receiver = outer.receiver
    frame.guards = outer.guards
    frame.variables.newer = machine.number()
    machine.frame = frame
    collected: list[Value] = []
    takers: list[int] = []  # the lanes that take each of them
    parted: Cause | None = None  # why not all lanes take all of them, where it is known who does
    uneven: list[Cause] = []
    shares: list[Cause] = []  # why the ranks take different items, though equally many
    marks: set[Any] = set()
    sources: list[Value] = []
    asked_of_each: list[Value] = []  # conditions that nobody can decide
    exact = exact_sources = True  # are all items known; were all, before conditions that nobody can decide

    def clause(index: int, lanes: int) -> None:
        nonlocal exact, exact_sources, parted
        if index == len(node.clauses):
            value = machine.evaluate(node.element, lanes)
            if node.key is not None:
                value = Tuple((machine.evaluate(node.key, lanes), value))
            collected.append(value)
            takers.append(lanes)
            return
        part = node.clauses[index]
        iterable = library.reading.iterated(machine, machine.evaluate(part.iterable, lanes), lanes)
        walked(machine, iterable, lanes)
        sources.append(iterable)
        items = containers.items_of(machine, iterable)
        if items is None and isinstance(iterable, Object):
            items = short_items(machine, iterable) or few(iterable)
        if items == () and containers.perhaps_filled(iterable):
            items = None  # on the other side of a branch there is something in it
        if items is not None and len(items) <= 8 and not own_order.of_texts(machine, iterable):
            for item in items:
                assign_target(machine, part.target, item, lanes)
                filtered(part, index, lanes)
            return
        if (known := parts_of_lanes(machine, iterable, lanes)) is not None:
            together, parted = known
            exact_sources = False
            uneven.append(parted)
            for item, some in together:
                assign_target(machine, part.target, item, some)
                if some == lanes:
                    filtered(part, index, lanes)
                else:
                    text = f"what is in {text_of(part.iterable)}"
                    at = node.at or machine.current_at
                    asked = Decision("branch", frame.path, at, text, parted, some, lanes, frame.scope)
                    machine.guarded(asked, partial(filtered, part, index, some))
            return
        exact = exact_sources = False
        run = over_generators.walked(machine, iterable, lanes)
        if run is not None:
            for apart in over_generators.run_clause(machine, part.target, *run, lanes, partial(filtered, part, index)):
                (shares if apart.uneven is None else uneven).append(apart.cause)
                marks.update(apart.marks)
            return
        trip, loop_cause = turns_of(machine, iterable, lanes)
        if loop_cause is not None:
            uneven.append(loop_cause)
        decision = Decision(
            "loop",
            frame.path,
            node.at or machine.current_at,
            f"for {text_of(part.target)} in {text_of(part.iterable)}",
            loop_cause,
            lanes,
            lanes,
            frame.scope,
        )
        loop = Loop(decision, lanes, frame.guards, trip, loop_cause, iterable)
        saved = machine.sinks
        machine.sinks = [(loop.body, lanes)]
        first, loop.objects = machine.symbols.count, machine.objects
        mark, doubts = len(machine.journal), len(machine.doubtful)

        def one_turn() -> None:
            item = own_order.told(machine, iterable, library.reading.element(machine, iterable, lanes), decision.at)
            assign_target(machine, part.target, item, lanes)
            note_items(loop, part.target, frame.variables)
            filtered(part, index, lanes)

        gathered: tuple[list[Any], ...] = (collected, takers, uneven, shares, sources, asked_of_each)
        before = list(map(len, gathered))
        one_turn()
        counters = moved_counters(machine, mark, loop.objects)
        if counters:
            turn_again(machine, counters, mark)
            for held, length in zip(gathered, before, strict=True):
                del held[length:]
            loop.body = Log()
            machine.sinks = [(loop.body, lanes)]
            one_turn()
        note_turn(machine, loop, mark, doubts)
        machine.sinks = saved
        loop.born = (first, machine.symbols.count)
        if loop.body.nodes:
            machine.emit(loop)

    def filtered(part: ir.Clause, index: int, lanes: int, asked: int = 0) -> int:
        nonlocal exact, parted
        if asked == len(part.conditions):
            clause(index + 1, lanes)
            return lanes
        condition, at = part.conditions[asked], node.at or machine.current_at
        value = machine.evaluate(condition, lanes)
        true, false, unsure, cause, _ = truth(machine, value, lanes)
        if unsure or false:
            exact = exact and not unsure
            asked_of_each.append(value)
            if true and false:
                parted = cause or Cause("rank")
            if cause is not None:
                skipped = sharding.skipped(machine, cause, sources[-1], named_parts.looked_for(value))
                (shares if skipped.even else uneven).append(skipped.cause)
                marks.update(skipped.marks)
                marks.update(orders_asked(machine, condition, lanes))

        def taken(some: int) -> int:
            return filtered(part, index, some, asked + 1)

        return branch(machine, value, lanes, at, lambda: text_of(condition), taken, lambda rest: rest)

    try:
        clause(0, mask)
    finally:
        machine.frame = outer
        outer.left |= frame.left
        machine.end(frame)
    if exact and parted is None and not uneven and len(collected) <= containers.MANY:
        return finished(machine, node, tuple(collected), mask)
    told = (
        all(map(acts, collected))
        or left_out_by_some(collected, takers, mask)
        or (len(sources) == 1 and counts_ranks(sources[0]) and all(map(counted, collected)))
    )
    if exact and parted is not None and node.kind in ("list", "generator") and told:
        return by_lane(machine, collected, takers, parted, mask)
    chosen = exact_sources and not uneven and parted is None and node.kind == "generator"
    kind = "list" if node.kind == "generator" else node.kind
    made = machine.new(kind, mask)
    if chosen and collected:
        made.facts[containers.FILTERED] = containers.element(machine, Tuple(tuple(collected)))
    if exact_sources and node.kind == "dict" and parted is None:
        made.facts[containers.FILTERED] = Tuple(tuple(collected))
    for value in collected[:1]:
        if isinstance(value, Object):
            value.facts[MANY] = True
    if kind == "set":
        uneven += [cause for one in collected if (cause := sets.repeated(one)) is not None]
    base = opaque(machine, "comprehension", *collected[:4], *sources[:2])
    tags = facts.of_items(base.tags, collected) | ({containers.UNEVEN} if uneven else frozenset()) | marks
    if not uneven and not any(containers.UNEVEN in one.tags for one in sources):
        tags -= {containers.UNEVEN}  # of each item: how many there are of them does not hang on it
        tags |= {containers.OF_EACH} if any(map(containers.has_own_many, collected)) else frozenset()
    if node.key is None:
        tags |= {mark for one in collected if type(one) is Tuple for mark in provenance.marks(one, "order", 2)}
    else:
        tags |= of_values(collected)
        note_keys(machine, made, collected, shares)
    if roots.OFF in machine.facts:
        tags |= roots.marks_in(*collected)  # of what each lane has made for itself, too
    of_items = None if sizes_of_gradients(collected, sources) else base.cause
    made.attributes["[]"] = Unknown(
        made_of(machine, node, base, sources, asked_of_each),
        next(iter((*uneven, *shares)), of_items),
        tags,
        collected[0] if collected and isinstance(collected[0], Object) else None,
    )
    return made


def parts_of_lanes(machine: Machine, iterable: Value, mask: int) -> tuple[list[tuple[Value, int]], Cause] | None:
    """Names or things of the project that stand in a list which some lanes have filled otherwise: who takes each."""
    held = items_by_lane(machine, iterable)
    known = held is not None and all(
        is_name(one) or acts(one) for lane in held.lanes for one in containers.items_of(machine, lane) or ()
    )
    together = in_order(held, mask) if held is not None and known else None
    return (together, held.cause) if held is not None and together is not None else None


def sizes_of_gradients(collected: list[Value], sources: list[Value]) -> bool:
    """`p.numel() for p in grads`: how many numbers each has follows from the model, whatever the numbers are."""
    return own_gradients.are_gradients(tuple(sources)) and all(value.cause is None for value in collected)


def left_out_by_some(collected: list[Value], takers: list[int], mask: int) -> bool:
    """`name for name in wanted if lead or name not in LEAD_ONLY`, `name for name, ranks in roles.items() if rank in
    ranks`: of several names written down, do the same ranks leave some out, or is each rank called one thing? What is
    dealt out is nothing of both."""
    partly = {lanes for lanes in takers if lanes != mask}
    one_each = sorted(lane for lanes in takers for lane in lanes_in(lanes)) == [*lanes_in(mask)]
    return all(map(is_name, collected)) and (one_each or (len(partly) == 1 and len(collected) > 1))


def is_name(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, str)


def note_keys(machine: Machine, made: Object, pairs: list[Value], shares: list[Cause]) -> None:
    """Does a rank have keys that the others have not?"""
    keys = [pair.items[0] for pair in pairs if isinstance(pair, Tuple)]
    keys += [machine.fresh("key", cause) for cause in shares]
    own = next((key for key in keys if key.cause is not None), None)
    if own is not None:
        made.facts[containers.KEYS] = own


def of_values(pairs: list[Value]) -> frozenset[Any]:
    """What is known of the values of a dictionary, other than how long they are."""
    values = [pair.items[1] for pair in pairs[:4] if isinstance(pair, Tuple)]
    return containers.without_lengths(all_tags(*values))


def acts(value: Value) -> bool:
    """Something with methods or to be called: which lanes have it decides what they do."""
    return isinstance(value, ClassRef | FunctionRef | Bound) or (
        isinstance(value, Object) and isinstance(value.kind, ClassRef)
    )


def counts_ranks(iterable: Value) -> bool:
    """`range(world_size)`"""
    count = iterable.attributes.get("count") if isinstance(iterable, Object) else None
    return isinstance(count, Const) and count.scale is not None


def counted(value: Value) -> bool:
    return isinstance(value, Const) and type(value.value) is int


def by_lane(machine: Machine, collected: list[Value], takers: list[int], cause: Cause, mask: int) -> Value:
    """`[hook for hook in hooks if rank == 0 or hook.everywhere]`: who has what is known."""
    taken = [
        Tuple(tuple(value for value, lanes in zip(collected, takers, strict=True) if lanes >> lane & 1))
        for lane in range(machine.world.size)
    ]
    made = machine.new("list", mask)
    made.attributes["[]"] = row(tuple(taken), cause)
    return made


def made_of(machine: Machine, node: ir.Comp, base: Unknown, sources: list[Value], asked: list[Value]) -> Symbol:
    """The symbol of what a comprehension gives. One item for each of a source tells its length as well; where a
    worker's number chooses the items, that is in it, too."""
    by_worker = [token(value) for value in (*asked, *sources) if inside.knows_worker(value)]
    if by_worker:
        return machine.symbols.of("comprehension", id(node), base.symbol, *by_worker, *workers_numbers(sources))
    if len(node.clauses) == 1 and not node.clauses[0].conditions and sources:
        held = sources[0].attributes.get("[]") if isinstance(sources[0], Object) else sources[0]
        if isinstance(held, Unknown):
            return machine.symbols.of("for each", held.symbol, id(node), base.symbol)
        made = machine.symbols.of("comprehension", id(node), base.symbol)
        totals.as_many(machine, made, sources[0])
        return made
    return machine.symbols.of("comprehension", id(node), base.symbol)


def workers_numbers(sources: list[Value]) -> list[Symbol]:
    """`range(worker, total, workers)`: what such a source is made of, which its own symbol does not tell."""
    held = (part for source in sources for part in provenance.parts(source, 2))
    return [part.symbol for part in held if isinstance(part, Unknown) and inside.knows_worker(part)]


def finished(machine: Machine, node: ir.Comp, collected: tuple[Value, ...], mask: int) -> Value:
    if node.kind == "dict":
        made = machine.new("dict", mask)
        for pair in collected:
            assert isinstance(pair, Tuple)
            put_items.put(machine, made, pair.items[0], pair.items[1], mask)
        return made
    made = machine.new("set" if node.kind == "set" else "list", mask)
    made.attributes["[]"] = Tuple(collected)
    return made
