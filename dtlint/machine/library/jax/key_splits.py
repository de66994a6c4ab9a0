"""Does anybody ever draw from the keys that came out of a split?

A helper may split a key and hand the parts back to a caller that drops them, an actor hands one to a policy that takes
the most likely action: nothing was drawn from them, and splitting the same key again repeats nothing.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation, Keywords
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax.facts import ORIGIN, fact, has
from dtlint.machine.values import Bound, ClassRef, Const, External, FunctionRef, Object, Symbol, Unknown, Value

PARTS = "jax split parts"  # fact of the run: the symbol of a part, or of what is made of parts, to the parts
GIVEN = "jax split given"  # fact of the run: the parts that were given to somebody
TO_MODELS = "jax split given to models"  # and those that a model got which may have no use for them
AGAIN = "jax split again"  # and those that were split themselves
DEEPEST = 8
DRAWN = "drawn"  # of a call: its number
LEARNED = "jax learned origins"  # fact of the run: of what losses are differentiated by
REPLACED = "jax replaced"  # fact of the run: of two draws, the one of which the other's numbers have taken the place
COPIED = "replicate"  # record of what is copied to all devices
EACH = -1  # the place of a part nobody knows the place of
Part = tuple[int, int]  # the split, and the place in what it gives
NOT_RUN = frozenset({"depth", "recursion", "told"})  # the result of a function of the project that was too deep


def made(machine: Machine, call: Invocation, *symbols: Symbol) -> None:
    """A split has made these parts; the parts of a part are parts of the whole."""
    machine.objects += 1
    call.extra["split"] = machine.objects
    parts = machine.facts.setdefault(PARTS, {})
    whole = call.get("key") or (call.arguments[0] if call.arguments else None)
    older = parts_of(machine, whole.symbol) if isinstance(whole, Unknown) else frozenset[Part]()
    machine.facts.setdefault(AGAIN, set()).update(older)
    for place, symbol in enumerate(symbols):
        parts[symbol] = older | {(machine.objects, place if len(symbols) > 1 else EACH)}


def remembered(machine: Machine, call: Invocation, key: Value, numbers: Value) -> Value:
    """What is drawn before anything is mapped remembers the draw, and the splits that its key came from."""
    if jax_facts.mappings(machine):
        return numbers
    machine.objects += 1
    call.extra[DRAWN] = machine.objects
    older = parts_of(machine, key.symbol) if isinstance(key, Unknown) and PARTS in machine.facts else ()
    origins = {machine.objects, *(split for split, _ in older)}
    return jax_facts.with_facts(machine, numbers, [fact(ORIGIN, one) for one in origins])


def origin(call: Invocation) -> int:
    """The number of a split or draw, as what comes of it remembers it."""
    number: int = call.extra.get("split") or call.extra.get(DRAWN) or 0
    return number


def only_an_example(facts: dict[str, Any], call: Invocation) -> bool:
    """Have the numbers of this draw begun parameters, and gone into nothing else?"""
    drawn, none = call.extra.get(DRAWN), frozenset[int]()
    return drawn in facts.get(jax_facts.AS_EXAMPLE, none) and drawn not in facts.get(jax_facts.COMPUTED_WITH, none)


def learned(machine: Machine, parameters: tuple[Value, ...]) -> None:
    """A loss is differentiated by these."""
    machine.facts.setdefault(LEARNED, set()).update(*map(origins_in, parameters))


def put_in_place(machine: Machine, tree: Value, new: Value) -> None:
    """What a tree holds is replaced: of what it was drawn by, nobody gets to see anything."""
    older, newer = origins_in(tree), origins_in(new)
    machine.facts.setdefault(REPLACED, set()).update((one, other) for one in older for other in newer)


def origins_in(value: Value, depth: int = DEEPEST) -> set[int]:
    tags = (leaf.tags for leaf in jax_facts.leaves(value, depth))
    return {tag[2] for one in tags for tag in jax_facts.words(one, ORIGIN)}


def parted(facts: dict[str, object], one: Invocation, other: Invocation) -> bool:
    """Are there two splits of one key, and the parts that are made use of are other ones each time? `split(key)[1]` for
    the noise of a step, and `split(key)[0]` as the key of the next one."""
    if "split" not in one.extra or "split" not in other.extra:
        return False
    here, there = (used(facts, GIVEN, call) | used(facts, TO_MODELS, call) for call in (one, other))
    if not here or not there:
        return True
    here, there = here | used(facts, AGAIN, one), there | used(facts, AGAIN, other)
    return here.isdisjoint(there) and EACH not in here | there


def for_models(facts: dict[str, object], call: Invocation) -> bool:
    """Do all parts of this split go to models, to be drawn from if there is anything random in them?"""
    return bool(used(facts, TO_MODELS, call)) and not used(facts, GIVEN, call)


def used(facts: dict[str, object], name: str, call: Invocation) -> set[int]:
    """The places of the parts of this split that were given away."""
    found = facts.get(name, set())
    assert isinstance(found, set)
    return {place for split, place in found if split == call.extra.get("split")}


def called(machine: Machine, callee: Value, arguments: tuple[Value, ...], keywords: Keywords, result: Value) -> None:
    """What a library only makes into something else goes on as that, and what a function of the project does with a key
    is seen there; everybody else makes use of what he is given."""
    still = machine.knowledge.still
    if any(name in still and value == Const(still[name]) for name, value in keywords if name is not None):
        return  # it is evaluated, and draws nothing
    inside = followed(callee, result)
    given_all = (*arguments, *(value for _, value in keywords))
    if not inside and not any(map(runs, given_all)):  # `scan(turn, key, rows)`: what is done with them is seen there
        word = jax_facts.AS_EXAMPLE if last_name(callee) in machine.knowledge.alike else jax_facts.COMPUTED_WITH
        machine.facts.setdefault(word, set()).update(*(origins_in(value, 1) for value in given_all))

    def parts_in(given: tuple[Value, ...]) -> frozenset[Part]:
        unknown = (
            leaf
            for value in given
            for leaf in jax_facts.leaves(value)
            if isinstance(leaf, Unknown) and not (inside and (has(leaf, "key") or has(leaf, "keys")))
        )
        return frozenset[Part]().union(*(parts_of(machine, leaf.symbol) for leaf in unknown))

    weak = parts_in(tuple(value for name, value in keywords if name == "rngs"))
    if weak:
        machine.facts.setdefault(TO_MODELS, set()).update(weak)
    values = (*arguments, *(value for name, value in keywords if name != "rngs"))
    found = parts_in(values)
    if not found:
        return
    row = machine.knowledge.api(callee.name) if isinstance(callee, External) else None
    if row is not None and row.extra.get("derives"):
        if isinstance(result, Unknown):
            machine.facts[PARTS].setdefault(result.symbol, found)
        return
    if isinstance(callee, External) and isinstance(result, Unknown) and not any(map(runs, values)):
        if row is None or row.record in ("", COPIED):
            machine.facts[PARTS][result.symbol] = found
            return
    machine.facts.setdefault(GIVEN, set()).update(found)


def last_name(callee: Value) -> str:
    while isinstance(callee, Bound):
        callee = callee.function
    return callee.name.rpartition(".")[2] if isinstance(callee, External) else ""


def followed(callee: Value, result: Value) -> bool:
    """Has a body of the project been run with the arguments?"""
    while isinstance(callee, Bound):
        callee = callee.function
    if isinstance(callee, Object) and "transform" in callee.facts:
        return followed(callee.facts["function"], result)
    if not isinstance(callee, FunctionRef):
        return isinstance(callee, ClassRef) or (isinstance(callee, Object) and isinstance(callee.kind, ClassRef))
    key = result.symbol.key if isinstance(result, Unknown) else ()
    return key[:1] not in {(word,) for word in NOT_RUN} and key[:2] != ("call", f"{callee.path}:{callee.name}")


def runs(value: Value) -> bool:
    """A function, or something else that may be called with the keys."""
    return isinstance(value, FunctionRef | Bound | Object) and getattr(value, "kind", "") not in ("list", "dict")


def parts_of(machine: Machine, symbol: Symbol, depth: int = 0) -> frozenset[Part]:
    """The parts this is made of."""
    parts: dict[Symbol, frozenset[Part]] = machine.facts[PARTS]
    known = parts.get(symbol)
    if known is None:
        inner = (one for one in symbol.key if isinstance(one, Symbol)) if depth < DEEPEST else ()
        known = frozenset[Part]().union(*(parts_of(machine, one, depth + 1) for one in inner))
        parts[symbol] = known = at_its_place(symbol, known)
    return known


def at_its_place(symbol: Symbol, known: frozenset[Part]) -> frozenset[Part]:
    """`keys[2]` of a batch that a split has made, the last of those it goes back to."""
    match symbol.key:
        case ("item", Symbol(key=("keys", *_)), int(place)):
            split = max(known, default=(0, EACH))[0]
            return frozenset((one, place if one == split else held) for one, held in known)
    return known
