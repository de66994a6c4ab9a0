"""What does `next(batches())` give, for a generator of the project?

The generator is run as far as its body goes; what it yields first stands for every item, with a new identity each
time it is asked for.
"""

from __future__ import annotations

from typing import Any, TypeGuard

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.logs import Decision, Event, Log, Loop
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import NONE, FunctionRef, Object, Tuple, Unknown, Value
from dtlint.machine.walks import walk

DEEPEST = 12
PART = "part"  # fact: which of the items are taken
ONE_OF = "one generator"  # fact: the number of the generator, of which this may be a part
ASKED = "asked generators"  # fact of the run: by that number, the places where somebody asks it for items
SINCE = "begun with"  # fact: the number of what goes through it
BOUNDED = "bounded"  # fact: somebody stops asking after so many items, on all ranks alike; of the run: whom
UNRUN = "generators one after the other"  # mark: what they give was not looked at
HANDED_OUT = "handed out by generators"  # fact: by the symbol of an item, what it is in which generator
ONE, THINGS = "<one>", "<things>"  # names that no program has
RESUMED = "resumed generators"  # fact: where a turn of a loop goes on with one that is older than the loop


def is_generator(value: Value) -> TypeGuard[Object]:
    return isinstance(value, Object) and value.kind == "<generator>"


def asked_for_some(machine: Machine, generator: Object, mask: int) -> Object:
    """The same one, asked for a number of items that is the same on all ranks."""
    made = machine.new("<generator>", mask)
    made.facts.update(generator.facts)
    made.facts[BOUNDED] = True
    return made


def stops_alike(machine: Machine) -> bool:
    """Is this the body of a generator that is asked for a number of items only?"""
    function = machine.frame.function
    return function is not None and id(function.node) in machine.facts.get(BOUNDED, ())


def asked(machine: Machine, generator: Object) -> None:
    """Somebody asks it for an item, or for all that it has left."""
    if ONE_OF in generator.facts:
        places = machine.facts.setdefault(ASKED, {}).setdefault(generator.facts[ONE_OF], set())
        places.add((machine.frame.path, machine.current_at))


def given(machine: Machine, generator: Object, mask: int) -> Value | None:
    from dtlint.machine.functions import calls

    if len(machine.stack) > DEEPEST or id(generator.facts["function"].node) in machine.stack:
        return None
    yielded: list[Value] = []

    def kept(value: Value, lanes: int) -> Value | None:
        yielded.append(value)
        return NONE

    loops = machine.frame.loops
    if loops and generator.facts.get(SINCE, generator.number) <= loops[-1].newest:
        machine.facts.setdefault(RESUMED, set()).add((machine.frame.path, machine.current_at))
    calls.resume(machine, generator, mask, kept)
    return renewed(machine, yielded[0], generator.facts["function"]) if yielded else None


def sure(machine: Machine, around: Frame) -> bool:
    """Does whoever walks through the generator come to this `yield`, and once: below no question and in no loop?"""
    for frame in machine.frame.and_callers():
        if frame is around:
            return True
        if frame.guards is not None or frame.leavings:
            return False
    return False


def listed(machine: Machine, generator: Object, mask: int) -> None:
    """One that has no loop and does nothing beside is run once, and keeps what it gives."""
    from dtlint.machine.functions import calls

    if "[]" in generator.attributes or not is_straight(machine, generator) or len(machine.stack) > DEEPEST:
        return
    around, sinks, mark, said = machine.frame, machine.sinks, len(machine.journal), Log()
    given: list[Value] = []
    known: list[bool] = []

    def kept(value: Value, lanes: int) -> Value:
        given.append(value)
        known.append(lanes == mask and sure(machine, around))
        return NONE

    machine.sinks = [(said, mask)]
    try:
        calls.resume(machine, generator, mask, kept)
    finally:
        machine.sinks = sinks
        machine.rollback(mark)
    if given and all(known) and not any(isinstance(node, Event) for node, _ in walk(said)):
        machine.set(generator, "[]", Tuple(tuple(given)), mask)


def is_straight(machine: Machine, generator: Object) -> bool:
    node = generator.facts["function"].node
    answers: dict[int, bool] = machine.notes.setdefault(is_straight, {})
    if id(node) not in answers:
        answers[id(node)] = not any(isinstance(one, ir.For | ir.While) for one in every_node(node.body))
    return answers[id(node)]


def renewed(machine: Machine, value: Value, generator: FunctionRef) -> Value:
    """The same with another identity: the next item is not this one."""
    turn = machine.symbols.fresh("turn")
    handed = machine.facts.setdefault(HANDED_OUT, {})

    def one(held: Value, depth: int) -> Value:
        if isinstance(held, Unknown):
            symbol = machine.symbols.of(*held.symbol.key, turn)
            handed[symbol] = (held.symbol, (generator.path, generator.node.at))
            return Unknown(symbol, held.cause, held.tags, held.like)
        if isinstance(held, Tuple) and depth:
            return Tuple(tuple(one(item, depth - 1) for item in held.items))
        if isinstance(held, Object) and held.kind in ("list", "dict") and depth:
            made = machine.new(held.kind, held.birth)
            made.facts.update(held.facts)
            made.attributes.update({name: one(item, depth - 1) for name, item in held.attributes.items()})
            return made
        return held

    return one(value, 4)


def end_to_end(machine: Machine, generator: Object, mask: int) -> Object:
    """`chain.from_iterable(documents())`: a generator that hands on what each of the things is made of."""
    made = machine.new("<generator>", mask)
    function = FunctionRef(handing_on(machine), machine.frame.path, None)
    made.facts.update(function=function, receiver=None, arguments=(generator,), keywords=())
    return made


def handing_on(machine: Machine) -> ir.Function:
    """`for one in things: yield from one`, written down once for each place that asks for it."""
    at = machine.current_at
    known: dict[Any, ir.Function] = machine.notes.setdefault("end to end", {})
    place = (machine.frame.path, at)
    if place not in known:
        walk = (ir.ExprStmt(ir.Yield(ir.Name(ONE), True, at), at),)
        loop = ir.For(ir.Name(ONE), ir.Name(THINGS), walk, (), False, at, (ONE,))
        parameters = (ir.Param(THINGS, "normal", None, None),)
        named = ("chain", machine.frame.scope)
        known[place] = ir.Function(
            *named, parameters, None, (loop,), (), None, False, True, (ONE,), (), frozenset((ONE, THINGS)), at
        )
    return known[place]


def in_whole_groups(generator: Value) -> bool:
    """`while len(group := take(stream)) == size: yield from group`: it gives nothing but groups of one length."""
    function = generator.facts.get("function") if isinstance(generator, Object) else None
    node = function.node if isinstance(function, FunctionRef) else None
    if not isinstance(node, ir.Function):
        return False
    asking = [one for one in every_node(node.body) if isinstance(one, ir.If | ir.While) and asks_length(one.test)]
    whole = {id(given) for one in asking for given in every_node(one.body) if isinstance(given, ir.Yield)}
    return bool(whole) and all(id(one) in whole for one in every_node(node.body) if isinstance(one, ir.Yield))


def asks_length(test: ir.Expr) -> bool:
    """`len(group) == size`"""
    if not isinstance(test, ir.Compare) or [op for op, _ in test.pairs] != ["=="]:
        return False
    sides = (test.left, test.pairs[0][1])
    return any(isinstance(one, ir.Call) and isinstance(one.func, ir.Name) and one.func.id == "len" for one in sides)


def never_ends(generator: Value) -> bool:
    """`while True: yield …`, and no way out."""
    function = generator.facts.get("function") if isinstance(generator, Object) else None
    node = function.node if isinstance(function, FunctionRef) else None
    last = node.body[-1] if isinstance(node, ir.Function) and node.body else None
    if not isinstance(last, ir.While) or not isinstance(last.test, ir.Const) or not last.test.value:
        return False
    return not any(isinstance(one, ir.Break | ir.Return) for one in every_node(last.body, (ir.Function, ir.Lambda)))


def items_of_part(machine: Machine, generator: Object, mask: int, on_yield: Any) -> Value:
    """`islice(samples(), number, None, count)`: what takes some of the items only is a loop of its own in the log."""
    from dtlint.machine.functions import calls

    frame = machine.frame
    whole = Object(generator.kind, generator.birth, generator.number, generator.at, generator.path)
    whole.facts.update({name: fact for name, fact in generator.facts.items() if name != PART})
    decision = Decision("loop", frame.path, machine.current_at, "some of them", None, mask, mask, frame.scope)
    loop = Loop(decision, mask, frame.guards, None, None, generator.facts[PART])
    sinks, machine.sinks = machine.sinks, [(loop.body, mask)]
    try:
        return calls.resume(machine, whole, mask, on_yield)
    finally:
        machine.sinks = sinks
        machine.emit(loop)
