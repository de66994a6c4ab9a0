"""How often does a loop turn, and what does it leave behind?

The body is run on widened state (what it changes is unknown at its start), again when the first run shows that more
changes than the syntax says. Short loops over known items are unrolled, because `for r in range(world_size)` is how
ranks take turns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.carried import carried
from dtlint.machine import containers, library
from dtlint.machine.assignment import assign_target
from dtlint.machine.core import Machine
from dtlint.machine.frames import LoopState
from dtlint.machine.lanes import lanes_in, token
from dtlint.machine.library import sharding
from dtlint.machine.logs import Decision, Event, Guards, Loop
from dtlint.machine.values import (
    MISSING,
    TRUE,
    Cause,
    ClassRef,
    Const,
    Object,
    Row,
    Symbol,
    Tuple,
    Unknown,
    Value,
)

UNROLLED = 4


def run_for(machine: Machine, node: ir.For, mask: int) -> int:
    from dtlint.machine.expressions import evaluate, text_of

    iterable = containers.one_walk(evaluate(machine, node.iterable, mask))
    mask &= ~machine.frame.left
    walked(machine, iterable, mask)
    generator = generator_call(machine, iterable)
    if generator is not None:
        return run_over_generator(machine, node, generator, mask)
    items = short_items(machine, iterable)
    if items is not None:
        return unroll(machine, node, items, mask)
    if isinstance(iterable, Row) and all(short_items(machine, held) is not None for held in iterable.lanes):
        return unroll_apart(machine, node, iterable, mask)
    iterable = library.iterated(machine, iterable, mask)
    generator = generator_call(machine, iterable)  # `__iter__` of the project may be one
    if generator is not None:
        return run_over_generator(machine, node, generator, mask)
    generator = counted(machine, iterable)
    if generator is not None:
        return run_over_generator(machine, node, generator, mask, is_counted=True)
    trip, cause = turns_of(machine, iterable, mask)
    return turn(
        machine,
        node,
        mask,
        trip,
        cause,
        iterable,
        "for",
        lambda: f"for {text_of(node.target)} in {text_of(node.iterable)}",
        lambda lanes: bind_item(machine, node.target, iterable, lanes),
    )


def walked(machine: Machine, iterable: Value, mask: int) -> None:
    """A list that only the root of a gather has is None where the others walk over it."""
    if type(iterable) is Row and "off root" in machine.facts:
        from dtlint.machine.library import roots

        roots.missing(machine, iterable, mask, "but it is None there")


def turns_of(machine: Machine, iterable: Value, mask: int) -> tuple[Value | None, Cause | None]:
    """The number of turns over an iterable where it is known, and why it may differ between lanes."""
    trip = library.length(machine, iterable, mask)
    cause = containers.length_cause(machine, iterable)
    if trip is not None and cause is None:
        cause = trip.cause
    return trip, cause


def bind_item(machine: Machine, target: ir.Expr, iterable: Value, mask: int) -> int:
    assign_target(machine, target, library.element(machine, iterable, mask), mask)
    return mask


def short_items(machine: Machine, iterable: Value) -> tuple[Value, ...] | None:
    if isinstance(iterable, Object) and iterable.kind == "builtins.range":
        bound = iterable.attributes.get("count")
        if isinstance(bound, Const) and isinstance(bound.value, int) and bound.scale:
            if 0 <= bound.value <= UNROLLED + 4:
                begin, by = (whole(iterable.attributes.get(name), usual) for name, usual in (("start", 0), ("step", 1)))
                return tuple(Const(begin + number * by) for number in range(bound.value))
        return None
    items = containers.items_of(machine, iterable)
    if items is not None and len(items) <= UNROLLED:
        return items
    return None


def unroll_apart(machine: Machine, node: ir.For, iterable: Row, mask: int) -> int:
    """Lanes walk over short things of their own: each over what it holds."""
    from dtlint.machine.expressions import text_of

    frame = machine.frame
    done = staying = 0
    for lane in lanes_in(mask):
        if done >> lane & 1:
            continue
        held = iterable.lanes[lane]
        lanes = sum(1 << one for one in lanes_in(mask) if iterable.lanes[one] is held or iterable.lanes[one] == held)
        done |= lanes
        items = short_items(machine, held) or ()
        text = f"what is in {text_of(node.iterable)}"
        decision = Decision("branch", frame.path, node.at, text, iterable.cause, lanes, mask, frame.scope)

        def inside(items: tuple[Value, ...] = items, lanes: int = lanes) -> int:
            return unroll(machine, node, items, lanes)

        staying |= machine.guarded(decision, inside)
    return staying


def whole(value: Value | None, usual: int) -> int:
    return value.value if isinstance(value, Const) and isinstance(value.value, int) else usual


def few(iterable: Object) -> tuple[Value, ...] | None:
    """`[make(n) for n in range(2)]`: a few things, told apart."""
    from dtlint.machine.library.groups import range_items

    items = range_items(iterable) if iterable.kind == "builtins.range" else None
    return tuple(items) if items is not None and len(items) <= UNROLLED else None


def unroll(machine: Machine, node: ir.For, items: tuple[Value, ...], mask: int) -> int:
    from dtlint.machine.statements import run

    frame = machine.frame
    state = LoopState()
    frame.loops.append(state)
    outer = frame.guards
    staying, finished = mask, 0
    try:
        for item in items:
            if not staying:
                break
            state.continued = 0
            frame.guards = outer
            assign_target(machine, node.target, item, staying)
            through = run(machine, node.body, staying)
            staying = (through | state.continued) & ~frame.left
            merge_leavings(machine, state, "continue")
        finished = staying
    finally:
        frame.loops.pop()
        frame.guards = outer
    merge_leavings(machine, state, "break")
    if node.orelse and finished:
        finished = run(machine, node.orelse, finished)
    return (finished | state.broke) & ~frame.left


def run_while(machine: Machine, node: ir.While, mask: int) -> int:
    from dtlint.machine.expressions import evaluate, text_of, truth

    box: dict[str, Any] = {}

    def enter(lanes: int) -> int:
        value = evaluate(machine, node.test, lanes)
        true, _, unsure, cause, _ = truth(machine, value, lanes)
        box.update(true=true, unsure=unsure, cause=cause, value=value)
        return (true | unsure) & ~machine.frame.left

    return turn(machine, node, mask, None, None, None, "while", lambda: f"while {text_of(node.test)}", enter, box)


def turn(
    machine: Machine,
    node: ir.For | ir.While,
    mask: int,
    trip: Value | None,
    cause: Cause | None,
    subject: Value | None,
    kind: str,
    text: Callable[[], str],
    enter: Callable[[int], int],
    box: dict[str, Any] | None = None,
) -> int:
    """Run the body once per attempt, until what it changes is widened."""
    frame = machine.frame
    outer_sinks, outer_guards = machine.sinks, frame.guards
    widened: dict[tuple[int, Any], tuple[dict[Any, Value], Any]] = {}
    for name in node.assigned:
        if name in frame.variables:
            widened[id(frame.variables), name] = (frame.variables, name)
    mark = len(machine.journal)
    through = 0
    first = machine.symbols.count  # a later attempt may meet calls that an earlier one has made
    causes: dict[tuple[int, Any], Cause] = {}  # why what a turn leaves for the next one differs between lanes
    for attempt in range(3):
        for place, (container, name) in widened.items():
            widen(machine, container, name, node, mask, causes.get(place))
        decision = Decision("loop", frame.path, node.at, text(), cause, mask, mask, frame.scope)
        loop = Loop(decision, mask, outer_guards, trip, cause, subject, kind)
        state = LoopState()
        frame.loops.append(state)
        leavings_before = len(frame.leavings)
        returns_before = len(frame.returns)
        machine.sinks = [(loop.body, mask)]
        frame.guards = Guards(decision, outer_guards)
        start = {place: container.get(name, MISSING) for place, (container, name) in widened.items()}
        inner_mark = len(machine.journal)
        depth = len(machine.uneven)
        if cause is not None:
            machine.uneven.append((machine.objects, cause, frozenset(sharding.shards_of(subject) if subject else ())))
        try:
            through = run_turn(machine, node, loop, decision, mask, state, enter, box)
        finally:
            del machine.uneven[depth:]
            frame.loops.pop()
            machine.sinks, frame.guards = outer_sinks, outer_guards
            loop.born = (first, machine.symbols.count)
        if machine.flow is not None:
            note_turn(machine, loop, inner_mark)
        grown = changed_more(machine, inner_mark, start, widened, node, causes)
        if not grown or attempt == 2:
            break
        machine.rollback(mark)
        del frame.leavings[leavings_before:]
        del frame.returns[returns_before:]
        widened.update(grown)
    merge_leavings(machine, state, "break")
    machine.emit(loop)
    returned = [leaving for leaving in frame.leavings[leavings_before:] if leaving.word in ("return", "exit")]
    gone = lanes_gone(frame, state, through, mask, loop)
    staying = mask & ~gone & ~frame.left
    for leaving in returned[:1]:
        if leaving.decision.cause is not None and staying:
            machine.part(leaving.decision, staying & leaving.mask)
    if node.orelse and staying:
        from dtlint.machine.statements import run

        staying = run(machine, node.orelse, staying) | (state.broke & ~frame.left)
    return staying


def note_turn(machine: Machine, loop: Loop, mark: int) -> None:
    """Which symbols are new in every turn: those of names and attributes that a turn leaves with another value. What
    functions called in the loop do to their own names says nothing."""
    seen: set[tuple[int, Any]] = set()
    places: set[int] | None = None
    for container, name, before in machine.journal[mark:]:
        place = (id(container), name)
        if place in seen or not isinstance(before, Unknown | Tuple | Object):
            continue
        seen.add(place)
        if places is None:
            places = lasting_places(machine.frame)
        if id(container) not in places:
            continue
        after = container.get(name, MISSING)
        if after is before:
            continue
        kept = {leaf.symbol for leaf in library.leaves(after) if isinstance(leaf, Unknown)}
        for held in library.leaves(before):
            if isinstance(held, Unknown) and held.symbol not in kept:
                loop.variant.add(held.symbol)
                loop.carried[held.symbol] = after


def lasting_places(frame: Any) -> set[int]:
    """Where values outlive a turn: this function's names, those around it and of whoever walks over what it yields,
    and what objects within reach hold."""
    found: set[int] = set()
    todo: list[Value] = []
    frames = [frame]
    while frames:
        frame = frames.pop()
        if frame is None or id(frame.variables) in found:
            continue
        found.add(id(frame.variables))
        todo += frame.variables.values()
        frames.append(frame.closure)
        if frame.on_yield is not None:
            frames.append(frame.caller)
    while todo and len(found) < 400:
        value = todo.pop()
        if isinstance(value, Object) and id(value.attributes) not in found:
            found.add(id(value.attributes))
            todo += value.attributes.values()
    return found


def note_items(loop: Loop, target: ir.Expr, variables: dict[Any, Value]) -> None:
    """The items a loop walks over are new in every turn."""
    if isinstance(target, ir.Name):
        held = variables.get(target.id)
        if isinstance(held, Unknown):
            loop.variant.add(held.symbol)
    elif isinstance(target, ir.Tup | ir.ListExpr):
        for item in target.items:
            note_items(loop, item, variables)
    elif isinstance(target, ir.Star):
        note_items(loop, target.value, variables)


def run_turn(
    machine: Machine,
    node: ir.For | ir.While,
    loop: Loop,
    decision: Decision,
    mask: int,
    state: LoopState,
    enter: Callable[[int], int],
    box: dict[str, Any] | None,
) -> int:
    from dtlint.machine.statements import run

    frame = machine.frame
    entering = enter(mask)
    if machine.flow is not None and isinstance(node, ir.For):
        note_items(loop, node.target, frame.variables)
    if box is not None:
        loop.cause = decision.cause = box.get("cause")
        endless = box.get("true") == mask
        if endless:
            loop.cause = decision.cause = None
        if entering != mask and entering:
            decision.taken = entering
    through = run(machine, node.body, entering) if entering else 0
    merge_leavings(machine, state, "continue")
    again = (through | state.continued) & ~frame.left
    if again:
        machine.emit(
            Event(
                "end",
                "next turn",
                "",
                again,
                frame.guards,
                frame.path,
                node.at,
                frame.scope,
                loop=loop,
            )
        )
    endless = box is not None and box.get("true") == mask and isinstance(node, ir.While)
    if endless and not state.broke and not any(leaving.word == "break" for leaving in state.leavings):
        return again if not is_true_literal(node) else 0
    return again | (mask & ~entering)


def is_true_literal(node: ir.While | ir.For) -> bool:
    # `while True` without any break ends only by return or exception; what follows is dead. Seen as fallen through
    # all the same when nothing inside leaves, since exceptions we do not model may end it.
    return False


def lanes_gone(frame: Any, state: LoopState, through: int, mask: int, loop: Loop) -> int:
    """Lanes that left the function inside the loop, for certain."""
    return mask & ~(through | state.broke) if through | state.broke else 0


def widen(
    machine: Machine, container: dict[Any, Value], name: Any, node: Any, mask: int, cause: Cause | None = None
) -> None:
    old = container.get(name, MISSING)
    if old is MISSING or is_stable(old):
        return
    if cause is not None and not isinstance(old, Unknown):
        new: Value = machine.unknown("loop", id(node), str(name), cause=cause)
    elif isinstance(old, Const | Tuple) and old.cause is None:
        new = machine.unknown("loop", id(node), str(name))
    elif isinstance(old, Row):
        new = machine.unknown("loop", id(node), str(name), cause=old.cause)
    elif isinstance(old, Object) and isinstance(old.kind, str) and old.kind in ("list", "set", "dict"):
        return
    elif isinstance(old, Unknown):
        why = cause or old.cause
        new = machine.unknown("loop", id(node), str(name), token(old), cause=why, tags=old.tags, like=old.like)
    else:
        return
    machine.journal.append((container, name, old))
    container[name] = new


def is_stable(value: Value) -> bool:
    return not isinstance(value, Const | Tuple | Row | Unknown | Object) or (
        isinstance(value, Object) and not isinstance(value.kind, str)
    )


def changed_more(
    machine: Machine,
    mark: int,
    start: dict[tuple[int, Any], Value],
    widened: dict[tuple[int, Any], Any],
    node: ir.For | ir.While,
    causes: dict[tuple[int, Any], Cause],
) -> dict[tuple[int, Any], tuple[dict[Any, Value], Any]]:
    """Locations the body wrote that were not widened, or that now differ between lanes and did not."""
    grown: dict[tuple[int, Any], tuple[dict[Any, Value], Any]] = {}
    fresh: dict[tuple[int, Any], tuple[dict[Any, Value], Any]] = {}
    first: dict[tuple[int, Any], tuple[dict[Any, Value], Any, Value]] = {}
    for container, name, old in machine.journal[mark:]:
        first.setdefault((id(container), name), (container, name, old))
    for place, (container, name, old) in first.items():
        now = container.get(name, MISSING)
        if old is MISSING or now is MISSING or now is old or is_stable(old):
            continue
        known = place in widened
        became_different = old.cause is None and now.cause is not None
        if became_different and place not in causes and read_again(machine, node, container, name, old):
            assert now.cause is not None
            causes[place] = now.cause
            fresh[place] = (container, name)
        if not known and isinstance(old, Const | Tuple | Row) and now != old:
            grown[place] = (container, name)
        elif became_different and not isinstance(old, Object):
            machine.facts.setdefault("carried", {})[place] = now.cause
            grown[place] = (container, name)
    carried = machine.facts.get("carried", {})
    result = {}
    for place, (container, name) in grown.items():
        if place in carried and (place, id(carried[place])) in machine.facts.setdefault("carried done", set()):
            continue
        result[place] = (container, name)
    if all(place in widened for place in result):
        result = {}
    return {**result, **fresh}


def read_again(machine: Machine, node: ir.For | ir.While, container: Any, name: Any, old: Value) -> bool:
    """Does a turn read this name before it gives it a value? Then it reads what the turn before left."""
    if container is not machine.frame.variables or not isinstance(old, Const | Unknown | Object):
        return False
    if isinstance(old, Object) and old.kind != "torch.Tensor":
        return False
    known = machine.notes.setdefault("carried names", {})
    if id(node) not in known:
        known[id(node)] = carried(node)
    return name in known[id(node)]


def merge_leavings(machine: Machine, state: LoopState, word: str) -> None:
    """What a side that left by break or continue had written is one possibility afterwards."""
    remaining = []
    for leaving in state.leavings:
        if leaving.word == word:
            symbol = machine.symbols.fresh(word)
            machine.join_writes(leaving.writes, [], symbol, leaving.decision.cause, leaving.mask)
        else:
            remaining.append(leaving)
    state.leavings = remaining


# --- generators and comprehensions -----------------------------------------------------------------------------


def generator_call(machine: Machine, value: Value) -> Object | None:
    if isinstance(value, Object) and value.kind == "<generator>":
        return value
    return None


def counted(machine: Machine, value: Value) -> Object | None:
    """`enumerate(project_generator())`"""
    inner = value.facts.get("inner", ()) if isinstance(value, Object) and value.kind == "<enumerate>" else ()
    return generator_call(machine, inner[0]) if inner else None


def run_over_generator(machine: Machine, node: ir.For, generator: Object, mask: int, is_counted: bool = False) -> int:
    """`for x in project_generator():` runs the loop's body at every yield of the generator."""
    from dtlint.machine import calls
    from dtlint.machine.statements import run

    frame = machine.frame
    state = LoopState()
    outer = frame.guards
    frame.loops.append(state)

    def body(value: Value, lanes: int) -> Value | None:
        inner = machine.frame
        machine.frame = frame
        saved = frame.guards
        try:
            given = Tuple((machine.fresh("index"), value)) if is_counted else value
            assign_target(machine, node.target, given, lanes)
            run(machine, node.body, lanes)
        finally:
            machine.frame = inner
            frame.guards = saved
        return None

    try:
        calls.resume(machine, generator, mask, body)
    finally:
        frame.loops.pop()
        frame.guards = outer
    merge_leavings(machine, state, "continue")
    merge_leavings(machine, state, "break")
    staying = mask & ~frame.left
    if node.orelse and staying:
        staying = run(machine, node.orelse, staying)
    return staying


def run_comprehension(machine: Machine, node: ir.Comp, mask: int) -> Value:
    """Comprehensions have a scope of their own and run like loops whose body is the element."""
    from dtlint.machine.expressions import evaluate, opaque, text_of, truth
    from dtlint.machine.frames import Frame

    outer = machine.frame
    frame = Frame(outer.path, outer.scope, outer.globals, outer, outer, mask)
    frame.function = outer.function
    frame.owner = outer.owner
    frame.receiver = outer.receiver
    machine.frame = frame
    collected: list[Value] = []
    uneven: list[Cause] = []
    shares: list[Cause] = []  # why the ranks take different items, though equally many
    marks: set[Any] = set()
    sources: list[Value] = []
    exact = True

    def clause(index: int, lanes: int) -> None:
        nonlocal exact
        if index == len(node.clauses):
            value = evaluate(machine, node.element, lanes)
            if node.key is not None:
                value = Tuple((evaluate(machine, node.key, lanes), value))
            collected.append(value)
            return
        part = node.clauses[index]
        iterable = evaluate(machine, part.iterable, lanes)
        walked(machine, iterable, lanes)
        sources.append(iterable)
        items = containers.items_of(machine, iterable)
        if items is None and isinstance(iterable, Object):
            items = short_items(machine, iterable) or few(iterable)
        if items is not None and len(items) <= 8:
            for item in items:
                assign_target(machine, part.target, item, lanes)
                filtered(part, index, lanes)
            return
        exact = False
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
        first = machine.symbols.count
        assign_target(machine, part.target, library.element(machine, iterable, lanes), lanes)
        note_items(loop, part.target, frame.variables)
        filtered(part, index, lanes)
        machine.sinks = saved
        loop.born = (first, machine.symbols.count)
        if loop.body.nodes:
            machine.emit(loop)

    def filtered(part: ir.Clause, index: int, lanes: int) -> None:
        nonlocal exact
        going = lanes
        for condition in part.conditions:
            value = evaluate(machine, condition, going)
            true, false, unsure, cause, _ = truth(machine, value, going)
            if unsure or false:
                exact = exact and not unsure and going in (true, false)
                if cause is not None:
                    skipped = sharding.skipped(machine, cause, sources[-1])
                    (shares if skipped.even else uneven).append(skipped.cause)
                    marks.update(skipped.marks)
            going = true | unsure
            if not going:
                return
        clause(index + 1, going)

    try:
        clause(0, mask)
    finally:
        machine.frame = outer
        outer.left |= frame.left
    if exact and not uneven and len(collected) <= containers.MANY:
        return finished(machine, node, tuple(collected), mask)
    kind = "list" if node.kind == "generator" else node.kind
    made = machine.new(kind, mask)
    base = opaque(machine, "comprehension", *collected[:4], *sources[:2])
    tags = base.tags | ({containers.UNEVEN} if uneven else frozenset()) | marks
    made.attributes["[]"] = Unknown(
        made_of(machine, node, base, sources),
        uneven[0] if uneven else shares[0] if shares else base.cause,
        tags,
        collected[0] if collected and isinstance(collected[0], Object) else None,
    )
    return made


def made_of(machine: Machine, node: ir.Comp, base: Unknown, sources: list[Value]) -> Symbol:
    """The symbol of what a comprehension gives. One item for each of a source tells its length as well."""
    if len(node.clauses) == 1 and not node.clauses[0].conditions and sources:
        held = sources[0].attributes.get("[]") if isinstance(sources[0], Object) else sources[0]
        if isinstance(held, Unknown):
            return machine.symbols.of("for each", held.symbol, id(node), base.symbol)
    return machine.symbols.of("comprehension", id(node), base.symbol)


def finished(machine: Machine, node: ir.Comp, collected: tuple[Value, ...], mask: int) -> Value:
    if node.kind == "dict":
        made = machine.new("dict", mask)
        for pair in collected:
            assert isinstance(pair, Tuple)
            containers.put(machine, made, pair.items[0], pair.items[1], mask)
        return made
    made = machine.new("set" if node.kind == "set" else "list", mask)
    made.attributes["[]"] = Tuple(collected)
    return made


__all__ = ["TRUE", "ClassRef", "run_comprehension", "run_for", "run_while"]
