"""What happens at a call: arguments meet parameters, the body runs, its log hangs below the caller's."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import last_name
from dtlint.machine import library
from dtlint.machine.contents import containers
from dtlint.machine.contents.opaque import opaque
from dtlint.machine.core import AROUND, DEEPEST, Machine
from dtlint.machine.functions import (
    around_own,
    describing,
    kept,
    one_of_several,
    parameters,
    passed_over,
    same_call,
)
from dtlint.machine.functions.entering import Outcome, enter
from dtlint.machine.functions.following import can_skip, may_talk, too_deep
from dtlint.machine.joining import join
from dtlint.machine.lanes import lanes_in, token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.invocation import LOCAL, Invocation, Keywords
from dtlint.machine.library.jax import copies, key_splits
from dtlint.machine.library.meeting import identity, spawning, works
from dtlint.machine.library.meeting.origins import SPAWNED
from dtlint.machine.library.python import files, run_later
from dtlint.machine.library.python.generators import BOUNDED, ONE_OF, PART, asked, items_of_part, stops_alike
from dtlint.machine.logs import WHAT_IS_CALLED, Call, Decision, Event
from dtlint.machine.names import attributes, classes
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import (
    NONE,
    Bound,
    Cause,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Object,
    Otherwise,
    Row,
    Symbol,
    Unknown,
    Value,
)


def evaluate_call(machine: Machine, node: ir.Call, mask: int) -> Value:
    from dtlint.machine.library.meeting import roots

    if isinstance(node.func, ir.Name) and node.func.id == "super":
        return super_of(machine, mask)
    base: Value | None = None
    if isinstance(node.func, ir.Attr):
        base = machine.evaluate(node.func.value, mask)
        roots.taken_from(machine, base, mask)
        callee = attributes.read(machine, base, node.func.name, mask)
    else:
        callee = machine.evaluate(node.func, mask)
    arguments: list[Value] = []
    started = len(machine.facts.get(works.RUNNING, ()))
    for argument in node.args:
        value = machine.evaluate(argument, mask)
        if isinstance(argument, ir.Star):
            spread = containers.items_of(machine, value)
            if spread is None:
                arguments.append(Object("<spread>", mask, 0))
                arguments[-1].attributes["value"] = value  # type: ignore[attr-defined]
            else:
                arguments.extend(spread)
        else:
            arguments.append(value)
    keywords: list[tuple[str | None, Value]] = []
    for name, expression in node.keywords:
        value = machine.evaluate(expression, mask)
        if name is None:
            parameters.spread_keywords(machine, value, keywords)
        else:
            keywords.append((name, value))
    mask &= ~machine.frame.left
    if not mask:
        return NONE
    if len(machine.facts.get(works.RUNNING, ())) > started:
        works.started_beside(machine, node, arguments, keywords, mask)
    machine.current_at = node.at or machine.current_at
    machine.spend(2)
    machine.receiver = base
    if isinstance(base, Unknown) and isinstance(callee, Row) and isinstance(node.func, ir.Attr):
        named = machine.knowledge.members.get(node.func.name)
        if named is not None and identity.of_another(named, arguments, tuple(keywords)):
            callee = machine.unknown("attr", base.symbol, node.func.name)
    value = call_value(machine, callee, tuple(arguments), tuple(keywords), mask, node)
    if works.RUNNING in machine.facts:
        works.handed(machine, callee, tuple(arguments))
    if key_splits.PARTS in machine.facts:
        key_splits.called(machine, callee, tuple(arguments), tuple(keywords), value)
    if roots.OFF in machine.facts:
        return roots.called(machine, callee, base, tuple(arguments), tuple(keywords), mask, value)
    return value


def super_of(machine: Machine, mask: int) -> Value:
    frame: Frame | None = machine.frame
    while frame is not None and frame.receiver is None:
        frame = frame.closure
    made = machine.new("<super>", mask)
    if frame is not None and frame.receiver is not None:
        made.facts["owner"] = frame.owner
        made.facts["receiver"] = frame.receiver
    return made


def call_value(
    machine: Machine,
    callee: Value,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
    node: ir.Call | None = None,
    decorating: bool = False,
) -> Value:
    from dtlint.machine.library.training import stepping

    if isinstance(callee, Row):
        return call_row(machine, callee, arguments, keywords, mask, node)
    if isinstance(callee, FunctionRef | Bound) and callee.otherwise is not None:
        return call_one_of_two(machine, callee, callee.otherwise, arguments, keywords, mask, node)
    if isinstance(callee, FunctionRef):
        if callee.kind == "kept" and not keywords:
            return kept.of_function(
                machine,
                callee,
                arguments,
                mask,
                lambda lanes: follow(machine, callee, None, arguments, (), lanes, node),
            )
        return follow(machine, callee, None, arguments, keywords, mask, node)
    if isinstance(callee, Bound):
        return call_bound(machine, callee, arguments, keywords, mask, node)
    if isinstance(callee, ClassRef):
        known = library.calling.project_type(machine, callee)
        if known is not None:
            return library.calling.call(machine, known, None, arguments, keywords, mask, node, decorating)
        from dtlint.machine.functions import instances

        return instances.instantiate(machine, callee, arguments, keywords, mask, node)
    if isinstance(callee, External):
        return library.calling.call(machine, callee.name, None, arguments, keywords, mask, node, decorating)
    if isinstance(callee, Object):
        return call_object(machine, callee, arguments, keywords, mask, node)
    if isinstance(callee, Unknown) and callee.symbol in machine.symbols.made_apart:
        sides = machine.symbols.made_apart[callee.symbol]
        return call_one_of(machine, sides, callee.symbol.key[1], callee.cause, arguments, keywords, mask, node)
    if isinstance(callee, Unknown) and callee.like is not None:
        return call_value(machine, callee.like, arguments, keywords, mask, node)
    made = library.answering.call_unknown(machine, callee, arguments, keywords, mask, node)
    return stepping.unknown_called(machine, callee, made, mask)


def call_row(
    machine: Machine, callee: Row, arguments: tuple[Value, ...], keywords: Keywords, mask: int, node: ir.Call | None
) -> Value:
    """Lanes call different things: each for its lanes only."""
    holder: dict[Any, Value] = {}
    frame = machine.frame
    done = 0
    for lane in lanes_in(mask):
        if done >> lane & 1:
            continue
        target = callee.lanes[lane]
        lanes = 0
        for other in lanes_in(mask & ~done):
            if callee.lanes[other] is target or callee.lanes[other] == target:
                lanes |= 1 << other
        done |= lanes
        files.absent(machine, callee, target, lanes)
        decision = Decision(
            "branch", frame.path, machine.current_at, WHAT_IS_CALLED, callee.cause, lanes, mask, frame.scope
        )

        def inside(target: Value = target, lanes: int = lanes) -> int:
            value = call_value(machine, target, arguments, keywords, lanes, node)
            machine.store(holder, "value", value, lanes, mask)
            return lanes

        machine.guarded(decision, inside)
    return holder.get("value", NONE)


def call_one_of_two(
    machine: Machine,
    callee: FunctionRef | Bound,
    otherwise: Otherwise,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
    node: ir.Call | None,
) -> Value:
    """All lanes call the one, or all of them the other: who knows the answer knows which."""
    question, answer, other = otherwise
    one = copy(callee)
    one.otherwise = None
    sides = (one, other) if answer else (other, one)
    return call_one_of(machine, sides, question, None, arguments, keywords, mask, node)


def call_one_of(
    machine: Machine,
    sides: tuple[Value, Value],
    question: Symbol,
    cause: Cause | None,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
    node: ir.Call | None,
) -> Value:
    """With a cause some lanes may call the one while others call the other."""
    from dtlint.machine.control.branches import choose

    given: dict[bool, Value] = {}

    def side(function: Value, which: bool) -> Callable[[int], int]:
        def run(lanes: int) -> int:
            given[which] = call_value(machine, function, arguments, keywords, lanes, node)
            return lanes & ~machine.frame.left

        return run

    older = machine.objects
    then, rest = side(sides[0], True), side(sides[1], False)
    choose(machine, mask, cause, question, machine.current_at, lambda: WHAT_IS_CALLED, then, rest)
    if len(given) < len((True, False)):
        return next(iter(given.values()))
    alike = [value for value in given.values() if value.cause is None]
    if len(alike) == 1 and not isinstance(alike[0], Const):
        return alike[0]  # what follows may be for those only whose answer the ranks share
    return join(given[True], given[False], machine.symbols, question, cause, older)


def call_bound(
    machine: Machine, callee: Bound, arguments: tuple[Value, ...], keywords: Keywords, mask: int, node: ir.Call | None
) -> Value:
    function = callee.function
    arguments = callee.extra + arguments
    if callee.keywords:
        given = {name for name, _ in keywords}
        keywords = (*keywords, *((name, value) for name, value in callee.keywords if name not in given))
    if callee.receiver is None:
        return call_value(machine, function, arguments, keywords, mask, node)
    if isinstance(function, FunctionRef):
        return follow(machine, function, callee.receiver, arguments, keywords, mask, node)
    if isinstance(function, External):
        return library.calling.call(machine, function.name, callee.receiver, arguments, keywords, mask, node)
    return call_value(machine, function, (callee.receiver, *arguments), keywords, mask, node)


def call_object(
    machine: Machine, thing: Object, arguments: tuple[Value, ...], keywords: Keywords, mask: int, node: ir.Call | None
) -> Value:
    if isinstance(thing.kind, ClassRef):
        method = classes.in_class(machine, thing.kind, "__call__")
        several = one_of_several.call(machine, thing, mask) if thing.otherwise else None
        if several is not None:
            return call_value(machine, several, arguments, keywords, mask, node)
        if isinstance(method, FunctionRef):
            return follow(machine, method, thing, arguments, keywords, mask)
        return library.answering.call_model(machine, thing, arguments, keywords, mask, node)
    return library.answering.call_instance(machine, thing, arguments, keywords, mask, node)


def follow(
    machine: Machine,
    function: FunctionRef,
    receiver: Value | None,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
    call: ir.Call | None = None,
) -> Value:
    result = follow_own(machine, function, receiver, arguments, keywords, mask, call)
    done = around_own.row_beside(machine, function, receiver)
    if done is not None:
        library.calling.perform(machine, done, receiver, (), (), mask, call)
    return result


def follow_own(
    machine: Machine,
    function: FunctionRef,
    receiver: Value | None,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
    call: ir.Call | None = None,
) -> Value:
    from dtlint.machine.library.feeding import data

    node = function.node
    machine.consult(function)
    arguments = restored(machine, function, arguments)
    if SPAWNED in machine.facts and spawning.for_one(machine, function, arguments, keywords):
        return NONE
    if isinstance(node, ir.Function):
        row_found = library.calling.project_row(machine, function) or around_own.row_around(machine, function, receiver)
        if row_found is not None:
            return library.calling.perform(machine, row_found, receiver, arguments, keywords, mask, call)
        if left_to_subclasses(node) or said_by_a_protocol(function, node):
            run_later.handed_over(machine, Invocation("", LOCAL, None, arguments, keywords, mask, call))
            return machine.fresh("as configured")
    if calls_itself(machine, function, receiver, arguments) or len(machine.stack) >= DEEPEST:
        return opaque(machine, "recursion", Const(getattr(node, "qualname", "lambda")), *arguments)
    if isinstance(node, ir.Function) and node.is_generator:
        generator = machine.new("<generator>", mask)
        generator.facts.update(function=function, receiver=receiver, arguments=arguments, keywords=keywords)
        generator.facts[ONE_OF] = generator.number
        return generator
    values = (*arguments, *(value for _, value in keywords))
    if too_deep(machine, function, mask):
        told = untold(machine, function, mask, values)
        passed_over.leave_unknown(machine, function, receiver, mask, told)
        made = opaque(machine, "depth", Const(getattr(node, "qualname", "lambda")), *arguments)
        if told:
            return machine.unknown("told", made.symbol, tags=frozenset(tag for tag in made.tags if not of_part(tag)))
        return made
    if getattr(node, "name", "") == data.TOLD_EPOCH and receiver is not None:
        machine.emit_event("record", "own-set-epoch", data.TOLD_EPOCH, mask, subject=receiver)
    if isinstance(node, ir.Function) and receiver is None:
        described = describing.handed_back(machine, node, arguments, keywords)
        if described is not None:
            machine.uses.reached.add((function.path, node.qualname))
            return described
    if isinstance(node, ir.Function) and can_skip(machine, function, node, receiver, values):
        machine.uses.reached.add((function.path, node.qualname))
        passed_over.leave_unknown(machine, function, receiver, mask)
        return opaque(machine, "call", Const(f"{function.path}:{function.name}"), *values)
    return remembered(machine, function, receiver, arguments, keywords, mask)


TWICE = 2
WITHIN_EACH_OTHER = 6  # wrappers of one decorator around functions that call each other


COUNTED = 5  # calls of one that is handed another number each time, and that no loop has called


def calls_itself(machine: Machine, function: FunctionRef, receiver: Value | None, arguments: tuple[Value, ...]) -> bool:
    """Has it been entered again already? A decorator's wrapper around another function is another one; one that counts
    down, is asked by name, or goes from thing to thing, comes to its end."""
    entered = machine.stack.count(id(function.node))
    around = function.closure
    if TWICE <= entered < COUNTED:
        frames = machine.frame.and_callers()
        own = [frame for frame in frames if frame.function is not None and frame.function.node is function.node]
        by_number = any(isinstance(one, Const) and type(one.value) in (int, str) for one in arguments)
        another = isinstance(receiver, Object) and not any(frame.receiver is receiver for frame in own)
        if (by_number or another) and all(frame.one_by_one for frame in own):
            return False
    if not TWICE <= entered < WITHIN_EACH_OTHER or around is None or not function.within_another:
        return entered >= TWICE
    running = (frame.function for frame in machine.frame.and_callers())
    same = [one for one in running if one is not None and one.node is function.node and one.closure is function.closure]
    return len(same) >= TWICE


def restored(machine: Machine, function: FunctionRef, arguments: tuple[Value, ...]) -> tuple[Value, ...]:
    """`load_state_dict` of a class that has a `state_dict`: a rank's own file gives back what every rank had saved of
    itself, and counters that agreed then agree now."""
    if getattr(function.node, "name", "") != "load_state_dict" or function.owner is None:
        return arguments
    if classes.in_class(machine, function.owner, "state_dict") is None:
        return arguments
    return tuple(provenance.without_own_data(one) for one in arguments)


def left_to_subclasses(node: ir.Function) -> bool:
    """`@abstractmethod` over nothing at all: who is called here is a class that has one of its own."""
    return "abstractmethod" in map(last_name, node.decorators) and does_nothing(node)


def said_by_a_protocol(function: FunctionRef, node: ir.Function) -> bool:
    """`def send(self, weights): ...` of a `Protocol`: it is not this that is called."""
    owner = function.owner
    return owner is not None and "Protocol" in map(last_name, owner.node.bases) and does_nothing(node)


def does_nothing(node: ir.Function) -> bool:
    return all(
        isinstance(one, ir.Pass) or (isinstance(one, ir.ExprStmt) and isinstance(one.value, ir.Const))
        for one in node.body
    )


def untold(machine: Machine, function: FunctionRef, mask: int, arguments: tuple[Value, ...]) -> bool:
    """A call that is not followed, and that may communicate: what stands beside it cannot be judged, and what it
    gives may be everybody's."""
    node = function.node
    names = run_later.names_in(node)
    if names.isdisjoint(machine.interesting) and not any(may_talk(value) for value in arguments):
        return False
    for value in arguments:
        for held in value.lanes if isinstance(value, Row) else (value,):
            left_unknown(machine, held, mask)
    frame = machine.frame
    api = f"{function.path}:{function.name}"
    machine.emit(Event("untold", "", api, mask, frame.guards, frame.path, machine.current_at, frame.scope))
    return True


def of_part(tag: object) -> bool:
    """Does it say from whose part of the data something was computed?"""
    return isinstance(tag, tuple) and tag[0] == "loader"


def left_unknown(machine: Machine, value: Value, mask: int) -> None:
    """What it holds now, after a call that may have received something into it, is anybody's guess."""
    if isinstance(value, Object) and value.kind in ("list", "dict", "set"):
        for name in list(value.attributes):
            machine.set(value, name, machine.unknown("left by a call", machine.current_at, value.number, name), mask)


PLAIN = (Const, Unknown, Row, External, FunctionRef, ClassRef)


def remembered(
    machine: Machine,
    function: FunctionRef,
    receiver: Value | None,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
) -> Value:
    """Run a call once: the same function on the same arguments, with nothing changed that it read, does the same."""
    index = (
        same_call.of_function(function),
        mask,
        token(receiver) if receiver is not None else None,
        tuple([same_call.given(value) for value in arguments]),
        tuple([(name, same_call.given(value)) for name, value in keywords]),
        library.noticing.circumstances(machine, arguments, keywords) if machine.flow is not None else None,
        *[machine.facts.get(fact) or None for fact in AROUND],
    )
    known = machine.remembered.get(index)
    if known is not None:
        result, log, read, written = known
        if not read or written == machine.heap_writes:
            machine.changed_nothing()
            if log is not None:
                caller = machine.frame
                machine.emit(
                    Call(
                        log.scope,
                        caller.path,
                        machine.current_at,
                        mask,
                        caller.guards,
                        log.log,
                        caller.scope,
                        function.path,
                        getattr(function.node, "at", None),
                    )
                )
            if machine.flow is not None:
                result = copies.made_once_more(machine, result)
            # computed in the same way, and yet another thing: a tensor that this call gave is not the one before
            return copy(result) if type(result) is Unknown else result
    reads, oldest, floor = machine.heap_reads, machine.oldest_write, machine.objects
    machine.heap_reads, machine.oldest_write = 0, NEVER
    outcome = Outcome()
    result = enter(machine, function, receiver, arguments, keywords, mask, None, outcome)
    read = machine.heap_reads > 0
    machine.heap_reads += reads
    if machine.oldest_write > floor and outcome.whole and isinstance(result, PLAIN):
        log = outcome if outcome.log is not None else None
        machine.remembered[index] = (result, log, read, machine.heap_writes)
        machine.changed_nothing()
    machine.oldest_write = min(oldest, machine.oldest_write)
    return result


NEVER = 1 << 60


def resume(machine: Machine, generator: Object, mask: int, on_yield: Any) -> Value:
    facts = generator.facts
    asked(machine, generator)
    given = (facts["function"], facts["receiver"], facts["arguments"], facts["keywords"])
    if PART in facts:
        return items_of_part(machine, generator, mask, on_yield)
    if not facts.get(BOUNDED) and not stops_alike(machine):  # what such a generator walks over ends with it
        return enter(machine, *given, mask, on_yield)
    outer = machine.facts.get(BOUNDED, frozenset())
    machine.facts[BOUNDED] = outer | {id(facts["function"].node)}
    try:
        return enter(machine, *given, mask, on_yield)
    finally:
        machine.facts[BOUNDED] = outer
