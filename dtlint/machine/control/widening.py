"""What does a further turn of a loop change, and what does that leave unknown?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.carried import carried
from dtlint.machine import library
from dtlint.machine.contents import containers
from dtlint.machine.contents.presence import there_alike
from dtlint.machine.core import Machine
from dtlint.machine.lanes import overlay, restrict, row, token
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.logs import Choice, Loop
from dtlint.machine.names.frames import HANDED_ON
from dtlint.machine.values import (
    MISSING,
    NONE,
    THERE,
    Cause,
    ClassRef,
    Const,
    Object,
    Row,
    Slots,
    Symbol,
    Tuple,
    Unknown,
    Value,
)
from dtlint.machine.walks import walk

Place = tuple[int, Any]
Places = dict[Place, tuple[dict[Any, Value], Any]]
PARTS_OF_PARTS = 3
Left = tuple[Cause | None, frozenset[Any], Object | None]  # the cause, the tags that say in what, what was left there


def widen(
    machine: Machine,
    container: dict[Any, Value],
    name: Any,
    node: Any,
    mask: int,
    left: Left | None = None,
    whole: bool = False,
) -> None:
    """`whole`: a turn leaves something else than a tuple of the parts it found."""
    old = container.get(name, MISSING)
    if old is MISSING or is_stable(old):
        return
    here = restrict(old, mask)  # the others have come here before, or come later
    new = loosened(machine, here, id(node), str(name), left or (None, frozenset(), None), whole)
    if new is not here and isinstance(old, Row) and here is not old:
        new = overlay(old, new, mask, machine.world, old.cause)
    if new is not here:
        machine.replace(container, name, new)


def loosened(machine: Machine, old: Value, loop: int, name: str, left: Left, whole: bool) -> Value:
    cause, tags, thing = left
    if cause is not None and not isinstance(old, Unknown):
        return machine.unknown("loop", loop, name, cause=cause, tags=tags)
    if isinstance(old, Tuple) and not whole:
        parts = enumerate(old.items)
        return Tuple(tuple(loosened(machine, held, loop, f"{name}[{index}]", left, whole) for index, held in parts))
    if isinstance(old, Tuple) and old.cause is None:
        like = containers.one_kind(old.items) if name == "[]" else None
        return machine.unknown("loop", loop, name, token(old), like=like)  # it may be come to again, with another
    if isinstance(old, Const) and old.cause is None:
        return machine.unknown("loop", loop, name, *((None,) if old == NONE else ()), like=thing)
    if isinstance(old, Row):
        made_of = () if all(isinstance(lane, Const) for lane in old.lanes) else (token(old),)
        return machine.unknown("loop", loop, name, *made_of, cause=old.cause)
    if isinstance(old, Unknown):
        why = cause or old.cause
        return machine.unknown("loop", loop, name, token(old), cause=why, tags=old.tags | tags, like=old.like)
    return old


def left_alone(
    machine: Machine, container: dict[Any, Value], name: Any, before: Value, loosened: Value, mask: int
) -> None:
    """`found = False`, and in the loop `if rank == 0: found = True`: the others have what they had before the loop."""
    now = container.get(name, MISSING)
    if not isinstance(before, Const) or not isinstance(loosened, Unknown) or not isinstance(now, Row):
        return
    lanes = [
        before if mask >> lane & 1 and isinstance(held, Unknown) and held.symbol is loosened.symbol else held
        for lane, held in enumerate(now.lanes)
    ]
    if any(held is before for held in lanes):
        machine.replace(container, name, row(tuple(lanes), now.cause))


def in_parts(old: Value, new: Value) -> bool:
    """Is it still a tuple of as many parts?"""
    if not isinstance(old, Tuple):
        return True
    same = isinstance(new, Tuple) and len(new.items) == len(old.items)
    return same and all(map(in_parts, old.items, new.items))  # type: ignore[attr-defined]  # a tuple, or not the same


def is_stable(value: Value) -> bool:
    return not isinstance(value, Const | Tuple | Row | Unknown | Object) or (
        isinstance(value, Object) and not isinstance(value.kind, str)
    )


def changed_more(
    machine: Machine,
    mark: int,
    start: dict[Place, Value],
    widened: Places,
    node: ir.For | ir.While,
    causes: dict[Place, Left],
    apart: set[Place],
    decides: Callable[[Value], bool],
    newest: int,
) -> Places:
    """Locations the body wrote that were not widened, or that now differ between lanes and did not. What is newer than
    the turn, the next turn makes for itself."""
    grown: Places = {}
    fresh: Places = {}
    for place, container, name, old in written_since(machine, mark):
        if (type(container) is Slots and container.newer > newest) or name == HANDED_ON:
            continue
        now = container.get(name, MISSING)
        if isinstance(old, Object) and now is not MISSING and old is not now:
            grown.update(moved_on(old, now, keys_kept(machine, old, now)))
        if old is MISSING or now is MISSING or now is old or is_stable(old):
            continue
        known = place in widened
        if place not in apart and not in_parts(old, now):
            apart.add(place)
            if known:
                fresh[place] = (container, name)
        became_different = old.cause is None and now.cause is not None
        if (
            became_different
            and place not in causes
            and (read_again(machine, node, container, name, old) or (known and decides(old)))
        ):
            assert now.cause is not None
            causes[place] = (now.cause, left_by(machine, now), None)
            fresh[place] = (container, name)
        elif (
            known
            and place not in causes
            and was_nothing(old)
            and isinstance(now, Object)
            and answers_for_itself(machine, now)
        ):
            causes[place] = (None, frozenset(), now)
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


def written_since(machine: Machine, mark: int) -> Iterator[tuple[Place, dict[Any, Value], Any, Value]]:
    """Every location that was written to since then, once, with what it held before."""
    seen: set[Place] = set()
    for container, name, before in machine.journal[mark:]:
        place = (id(container), name)
        if place not in seen:
            seen.add(place)
            yield place, container, name, before


def was_nothing(start: Value) -> bool:
    """None before the first turn."""
    return isinstance(start, Unknown) and start.symbol.key[0] == "loop" and start.symbol.key[-1] is None


def answers_for_itself(machine: Machine, thing: Object) -> bool:
    """`self.upload = pool.submit(…)`: whoever asks it is told what this rank alone knows, in the next turn as well."""
    return isinstance(thing.kind, str) and thing.kind in machine.knowledge.answering


def left_by(machine: Machine, value: Value) -> frozenset[Any]:
    """What else is known of a value that differs between the ranks, and that the turn before has left here."""
    tags = {containers.UNEVEN} if containers.length_cause(machine, value) is not None else set()
    if there_alike(machine, value):
        tags.add(THERE)  # in the first turn it was what all ranks have
    return frozenset(tags)


def keys_kept(machine: Machine, old: Object, new: Value) -> frozenset[Symbol]:
    """The keys of JAX that a turn leaves where they are, and which may be in other places as well at first."""
    if machine.flow is None or not isinstance(old.kind, ClassRef):
        return frozenset()
    leaves = (leaf for leaf in library.noticing.leaves(new) if isinstance(leaf, Unknown))
    return frozenset(leaf.symbol for leaf in leaves if jax_facts.has(leaf, "key"))


def moved_on(old: Object, new: Value, kept: frozenset[Symbol], depth: int = 0) -> Places:
    """`state = state.stepped()`: the same kind of thing, of which some parts are others in every turn, or parts of its
    parts. Where nobody followed what gave the new one, any of them may be. A key is one of them where another part
    holds it, too, and keeps it: `State(key=key, first=key)`."""
    if not isinstance(old.kind, ClassRef) or depth > PARTS_OF_PARTS:
        return {}
    found: Places = {}
    for name, held in old.attributes.items():
        if isinstance(new, Unknown):
            now: Value = new
        elif isinstance(new, Object) and new.kind == old.kind:
            now = new.attributes.get(name, held)
        else:
            break
        if isinstance(held, Object) and now is not held:
            found.update(moved_on(held, now, kept, depth + 1))
        elif now != held and (isinstance(held, Const | Tuple | Row) or getattr(held, "symbol", None) in kept):
            found[id(old.attributes), name] = (old.attributes, name)
    return found


def deciding(loop: Loop, box: dict[str, Any] | None) -> Callable[[Value], bool]:
    """Does a decision of this turn depend on a value that was there at its start? Then it does on what the turn before
    left there."""
    seen: set[Symbol] = set()

    def decides(start: Value) -> bool:
        if not isinstance(start, Unknown):
            return False
        if not seen:
            seen.update(one for symbol in asked(loop, box) for one in symbols_in(symbol))
        return start.symbol in seen

    return decides


def asked(loop: Loop, box: dict[str, Any] | None) -> Iterator[Symbol]:
    test = box.get("value") if box is not None else None
    if isinstance(test, Unknown):
        yield test.symbol
    for node, _ in walk(loop.body):
        if isinstance(node, Choice) and node.symbol is not None:
            yield node.symbol


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
