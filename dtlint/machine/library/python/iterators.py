"""When does an iterator that is asked by hand run dry, and does it do so on all ranks at once?

`next(batches, None)` and `except StopIteration` end a loop as surely as its head does. Why the number of items differs
between ranks is what ends such a loop on some of them first.
"""

from __future__ import annotations

from dtlint.machine import library
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import haiku
from dtlint.machine.library.python import generators, one_by_one
from dtlint.machine.logs import Log, Loop, decisions
from dtlint.machine.names import classes
from dtlint.machine.values import NONE, THERE, Cause, ClassRef, FunctionRef, Object, Trail, Unknown, Value
from dtlint.machine.walks import walk

ENDS = "ends apart"  # fact: why iterators that were asked without a default may end on some ranks first
ITEMS = "items"  # kind of cause: how many items there are
STOPS = "stops of iterators"  # fact: why those of the program's own end on some ranks only
TAKEN = "taken by hand"  # fact: what `next` gave, and of which iterator
YIELDED = "<yielded>"
DEEPEST = 8


def asked(machine: Machine, call: Invocation) -> Value | None:
    """`next(iterator)`, `next(iterator, default)`"""
    if not call.arguments:
        return None
    inner = call.arguments[0]

    def ends(cause: Cause) -> None:
        machine.facts.setdefault(ENDS, []).append(apart(machine, cause))

    if generators.is_generator(inner):
        generators.listed(machine, inner, call.mask)
    known = one_by_one.taken(machine, inner, call.arguments[1] if len(call.arguments) > 1 else None, call.mask, ends)
    if known is not None:
        return known
    item = inner.facts.get(containers.FILTERED) if isinstance(inner, Object) else None
    item = item or taken(machine, inner, call.mask)
    if item is None:
        inner = library.reading.iterated(machine, inner, call.mask)
        item = taken(machine, inner, call.mask) or one_more(machine, library.reading.element(machine, inner, call.mask))
    item = provenance.without(item, "order")  # one of them has no place among the others
    of_loader(machine, "batch-taken", inner, call)
    machine.facts.setdefault(TAKEN, {})[token(item)] = token(call.arguments[0])
    cause = end_cause(machine, inner, call.mask)
    if cause is None and item.cause is not None and len(call.arguments) > 1:
        # whether it is the default is the same everywhere
        return machine.unknown("next", token(item), machine.symbols.fresh("turn"), tags=item.tags)
    if cause is None:
        if len(call.arguments) == 2 and isinstance(item, Unknown):
            return Unknown(item.symbol, item.cause, item.tags | {THERE}, item.like)
        if len(call.arguments) == 2 and call.arguments[1] == NONE and isinstance(item, Object):
            return Unknown(machine.symbols.of("next", token(item)), None, frozenset({THERE}), item)
        return item
    cause = apart(machine, cause)
    if len(call.arguments) == 1:
        machine.facts.setdefault(ENDS, []).append(cause)
        return item
    if call.arguments[1] != NONE:
        return item
    return machine.unknown("next", token(item), machine.symbols.fresh("turn"), cause=cause, tags=item.tags)


def apart(machine: Machine, cause: Cause) -> Cause:
    return Cause(ITEMS, Trail(machine.step("has nothing more to give on some ranks first"), cause.trail))


def put_back(machine: Machine, items: tuple[Value, ...], rest: Value) -> bool:
    """`chain([first], batches)`: were these items the last that `next(batches)` gave?"""
    given = machine.facts.get(TAKEN, {})
    return bool(items) and all(given.get(token(item)) == token(rest) for item in items)


def one_more(machine: Machine, item: Value) -> Value:
    """The next key of a batch of keys is another one each time."""
    from dtlint.machine.library.jax import facts as jax_facts

    if isinstance(item, Unknown) and jax_facts.has(item, "key"):
        return Unknown(machine.symbols.fresh("key"), item.cause, item.tags, item.like)
    return item


def of_loader(machine: Machine, what: str, value: Value, call: Invocation) -> None:
    """Batches that are taken from a loader by hand, and iterators (with workers of their own) made for that."""
    from dtlint.machine.library.feeding import loaders

    if loaders.is_loader(value):
        machine.differences["data"] += 1  # reading its own data, a rank may fail by itself
        machine.emit_event("record", what, call.name, call.mask, subject=value)


def taken(machine: Machine, value: Value, mask: int) -> Value | None:
    """What a generator of the project yields first, with all that it does on the way, or what `__next__` gives."""
    if not isinstance(value, Object):
        return None
    if value.kind == "<generator>":
        return generators.given(machine, value, mask)
    if value.kind == haiku.SEQUENCE:
        return haiku.of_sequence(machine, value)
    if not isinstance(value.kind, ClassRef) or len(machine.stack) > DEEPEST:
        return None
    from dtlint.machine.functions import calls

    method = classes.in_class(machine, value.kind, "__next__")
    if not isinstance(method, FunctionRef):
        return None
    machine.trying += 1  # who takes items catches what says that there are no more
    try:
        return calls.follow(machine, method, value, (), (), mask)
    finally:
        machine.trying -= 1


def stopped(machine: Machine, function: object) -> None:
    """`__next__` of the program's own raises `StopIteration`: under a decision that is not the same everywhere?"""
    why = next((one.cause for one in decisions(machine.frame.guards) if one.cause is not None), None)
    if why is not None and why.kind not in ("data", "files"):
        machine.facts.setdefault(STOPS, {})[id(function)] = why


def stop_cause(machine: Machine, iterator: Value | None) -> Cause | None:
    """Why an iterator of the program's own was seen to end on some ranks only."""
    if STOPS not in machine.facts or not isinstance(iterator, Object) or not isinstance(iterator.kind, ClassRef):
        return None
    method = classes.in_class(machine, iterator.kind, "__next__")
    found: Cause | None = machine.facts[STOPS].get(id(method.node)) if isinstance(method, FunctionRef) else None
    return found


def end_cause(machine: Machine, value: Value, mask: int) -> Cause | None:
    """Why the number of items differs between ranks, if it does."""
    if isinstance(value, Object) and value.kind == "<generator>":
        return generator_cause(machine, value, mask)
    if isinstance(value, Object) and value.facts.get("inner"):
        return None if value.kind in ("<zip>", "<cycle>") else end_cause(machine, value.facts["inner"][0], mask)
    trip = library.reading.length(machine, value, mask)
    cause = containers.length_cause(machine, value)
    return trip.cause if trip is not None and cause is None else cause


def generator_cause(machine: Machine, generator: Object, mask: int) -> Cause | None:
    """The first loop around a `yield` that turns a different number of times on each rank; none in an endless one."""
    from dtlint.machine.functions import calls

    if "end cause" in generator.facts:
        found: Cause | None = generator.facts["end cause"]
        return found
    generator.facts["end cause"] = None
    if len(machine.stack) > DEEPEST:
        return None
    saved, facts, mark = machine.sinks, machine.facts, len(machine.journal)
    log = Log()
    machine.sinks, machine.facts = [(log, machine.world.full)], dict(facts)

    def note(value: Value, lanes: int) -> None:
        machine.emit_event("record", YIELDED, "", lanes)

    try:
        calls.resume(machine, generator, mask, note)
    finally:
        machine.sinks, machine.facts = saved, facts
        machine.rollback(mark)
    for node, above in walk(log):
        if getattr(node, "op", "") != YIELDED:
            continue
        loops = [one for one in above if isinstance(one, Loop)]
        if any(loop.kind == "while" and loop.cause is None for loop in loops):
            return None
        generator.facts["end cause"] = next((loop.cause for loop in loops if loop.cause is not None), None)
        break
    return generator.facts["end cause"]


def ended(machine: Machine, before: int) -> Cause | None:
    """Why a body that asked an iterator may raise StopIteration on some ranks first."""
    causes = machine.facts.get(ENDS, ())
    return causes[before] if len(causes) > before else None


def never_runs_out(walked: Value | None) -> bool:
    """`itertools.count()`, or `itertools.cycle(loader)`."""
    if isinstance(walked, Object):
        return walked.kind == "<cycle>"
    return isinstance(walked, Unknown) and walked.symbol.key[0] == "itertools.count"
