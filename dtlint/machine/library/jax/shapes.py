"""What does the shape of an array begin with: the devices of this host, the samples of a batch, or neither?

Nothing is counted that the program does not write down: a shape is looked at where an array is made or reshaped. The
answers are facts of `jax_facts`: `device axis`, `even`, `plain` (a shape that is written down and names no devices)
and `rows` (the number of samples an array holds, as a symbol).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax.facts import Tag, fact, has, words
from dtlint.machine.values import NONE, Const, External, Object, SliceValue, Symbol, Tuple, Unknown, Value

LAYOUT = frozenset(
    {"device axis", "replicated", "even", "host tree", "state of", "plain", "over copies", "stored", "put in"}
)


def sizes(machine: Machine, shape: Value | None) -> tuple[object, ...]:
    """The sizes of a shape as far as they are known, as tokens; `(n, -1) + x.shape[1:]` has a known beginning."""
    if shape is None:
        return ()
    if isinstance(shape, Const | Unknown) and not beginning(shape):
        return (token(shape),)
    items = containers.items_of(machine, shape)
    if items is not None:
        return tuple(token(item) for item in items)
    return beginning(shape)


def beginning(shape: Value) -> tuple[object, ...]:
    held = shape.attributes.get("[]") if isinstance(shape, Object) else shape
    key = held.symbol.key if isinstance(held, Unknown) else ()
    if key[:1] == ("op +",) and isinstance(key[1], tuple) and not is_number(key[1]):
        return key[1]
    if key[:1] == ("tuple",) and len(key) > 1:
        return key[1:2]
    return ()


def is_number(held: object) -> bool:
    """A size of the imaginary world, as `token` writes it."""
    return isinstance(held, tuple) and len(held) == 3 and held[0] == "int"


def leading(machine: Machine, shape: Value | None) -> Any:
    """The fact that a shape begins with the number of devices."""
    known = sizes(machine, shape)
    first = known[0] if known else None
    if first == ("int", str(machine.world.per_host), "local"):
        key = shape.symbol.key if isinstance(shape, Unknown) else ()
        for each in known[1:2] or (key[2:3] if key[:1] == ("tuple",) else ()):  # `(n, each, *rest)`
            note_divided_twice(machine, each)
        return fact("device axis", "local", jax_facts.place(machine))
    if first == ("int", str(machine.world.size), "world"):
        return fact("device axis", "world", jax_facts.place(machine))
    return None


def note_divided_twice(machine: Machine, each: object) -> None:
    """`(devices, batch // hosts // all_devices, …)`: what one host has is divided once more by all hosts."""
    by_all = ("int", str(machine.world.size), "world")
    steps = [each]
    while isinstance(steps[-1], Symbol) and steps[-1].key[0] == "op //":
        steps.append(steps[-1].key[1])
    if sum(isinstance(step, Symbol) and step.key[0] == "op //" and step.key[2] == by_all for step in steps) < 2:
        return
    note_share(machine, each)


def note_share(machine: Machine, made: object, by: tuple[Value, ...] | None = None) -> None:
    for share in machine.facts.get("shares", ()):
        if isinstance(share.result, Unknown) and share.result.symbol is made:
            if by is not None and not any(share.right is one for one in by):
                return
            used = (machine.step("an array of this host gets this shape"),)
            jax_facts.note(machine, "world share", machine.frame.mask, (share.path, share.at, share.scope), used)
            return


def note_rows_of_one_device(machine: Machine, array: Unknown) -> None:
    """As many rows as one device of all should have, `total // all_devices`, are divided between those of a host."""
    by_own = ("int", str(machine.world.per_host), "local")
    for tag in words(array.tags, "rows") if machine.facts.get("jax hosts") else ():
        what, *parts = tag[2].key
        if tag[3] != "whole" or what != "op //" or not isinstance(parts[0], Symbol):
            continue
        if by_own not in parts[0].key:  # `batch * own_devices // all_devices`
            note_share(machine, tag[2], tuple(machine.facts.get(jax_facts.ALL_DEVICES, ())))


def given(call: Invocation) -> Value | None:
    """The shape among the arguments of something that makes an array."""
    for name, value in call.keywords:
        if name in ("size", "shape"):
            return value
    last = call.name.rpartition(".")[2]
    if last in ("rand", "randn"):
        return Tuple(call.arguments)
    for value in call.arguments:
        if isinstance(value, Tuple) or (isinstance(value, Object) and value.kind == "list") or beginning(value):
            return value
    return call.arguments[0] if last in ("zeros", "ones", "empty", "full") and call.arguments else None


def shaped(machine: Machine, call: Invocation) -> Any:
    return leading(machine, given(call))


def described(machine: Machine, call: Invocation) -> list[Tag]:
    """Facts of an array that is made from nothing but a shape (and perhaps a key)."""
    shape = given(call)
    found = leading(machine, shape)
    counts = [fact("rows", *pair) for pair in counted(machine, shape)]
    if found is not None:
        return [found, *counts]
    known = sizes(machine, shape) if shape is not None else ()
    if jax_facts.mappings(machine) or (shape is None and not call.name.startswith("jax.random.")):
        return counts
    if known and all(type(one) is int or isinstance(one, Symbol) for one in known):
        return [fact("plain", known, jax_facts.place(machine)), *counts]
    if isinstance(shape, Tuple) and not shape.items:
        return [fact("plain", (), jax_facts.place(machine))]
    return counts


def from_shape(call: Invocation) -> bool:
    """Is this a function of a shape, and not of other arrays?"""
    return any(name in ("size", "shape") for name, _ in call.keywords)


def counted(machine: Machine, shape: Value | None) -> Iterator[tuple[Symbol, str]]:
    """The samples in an array of this shape: `(batch, …)` or, in parts, `(devices, batch // devices, …)`."""
    known = sizes(machine, shape)
    if known[:1] and isinstance(known[0], Symbol):
        yield known[0], "whole"
    if len(known) > 1 and isinstance(known[1], Symbol) and is_number(known[0]):
        key = known[1].key
        if key[0] == "op //" and key[2] == known[0] and isinstance(key[1], Symbol):
            yield key[1], "parts"


ON_A_HOST = frozenset({2, 4, 8, 16})  # devices: a first size that is written so may be their number
CUT = frozenset({"reshaped", "sharded"})  # the same samples, with an axis of devices before them


def is_cut(leaf: Value, whole: Symbol) -> bool:
    return isinstance(leaf, Unknown) and leaf.symbol.key[0] in CUT and leaf.symbol.key[1] is whole


def holds(leaf: Value, count: Symbol) -> bool:
    """Does this array hold so many samples, divided between the devices?"""
    cut = isinstance(leaf, Unknown) and leaf.symbol.key[0] in CUT
    return fact("rows", count, "parts") in leaf.tags or (cut and fact("rows", count, "whole") in leaf.tags)


def lacking(leaves: list[Unknown]) -> str:
    """Why arrays next to others that are divided between the devices have no axis of devices: a first size written
    as a number, or first sizes that differ. A tree is divided as a whole: all of it has to be seen."""
    first: set[object] = set()
    shown = ""
    if any(has(leaf, "array") and not has(leaf, "plain") for leaf in leaves):
        return ""
    for leaf in leaves:
        for tag in words(leaf.tags, "plain"):
            known = tag[2]
            first.add(known[0] if known else 1)
            if not known:
                return "one number, without an axis of devices"
            if all(type(one) is int for one in known) and not shown:
                shown = f"made with the shape {known}, without an axis of devices"
    if shown and any(type(one) is int for one in first) and not first <= ON_A_HOST:
        return shown
    return "made of arrays with different first sizes, without an axis of devices" if len(first) > 1 else ""


# --- copies ----------------------------------------------------------------------------------------------------


def copied(machine: Machine, call: Invocation) -> Value | None:
    """What is given once to every device: `broadcast_to(x, (n,) + x.shape)`, `stack([x] * n)`, `repeat(x[None], n)`."""
    last = call.name.rpartition(".")[2]
    first = call.receiver if call.receiver is not None else call.arguments[0] if call.arguments else None
    if first is None:
        return None
    if last in ("stack", "array", "asarray"):
        return repeated(first) if for_devices(first) else None
    times = times_of(call)
    if last == "broadcast_to" and not has(first, "device axis") and leading(machine, times):
        return without_first(first) or first
    if last in ("repeat", "tile") and leading(machine, times):
        return without_first(first) or (first if last == "tile" and tiles_key(first, times) else None)
    return None


def copies(machine: Machine, call: Invocation) -> Any:
    """For whom `copied` has found copies: the devices of this host, or all of them."""
    first = call.arguments[0] if call.arguments else None
    times = first.facts.get(containers.TIMES) if isinstance(first, Object) else None
    return leading(machine, Tuple((times,)) if times is not None else times_of(call))


def times_of(call: Invocation) -> Value | None:
    others = call.arguments if call.receiver is not None else call.arguments[1:]
    return call.get("repeats") or call.get("reps") or call.get("shape") or (others[0] if others else None)


def tiles_key(value: Value, times: Value | None) -> bool:
    """`tile(key, (n, 1))`: a raw key has one axis, and gets a new one in front."""
    return has(value, "key") and isinstance(times, Tuple) and len(times.items) == 2 and times.items[1] == Const(1)


def for_devices(value: Value) -> bool:
    """`[x] * n`: can that be one for each device? Not as many as something else has, or as no host has devices."""
    times = value.facts.get(containers.REPEATED) if isinstance(value, Object) else None
    if isinstance(times, Const):
        return times.scale is not None or times.value in ON_A_HOST
    return isinstance(times, Unknown) and times.symbol.key[0] != "len"


def repeated(value: Value) -> Value | None:
    """`[x] * n`: what is repeated."""
    if isinstance(value, Object) and value.kind == "list":
        held = value.attributes.get("[]")
        if isinstance(held, Tuple) and len(held.items) > 1 and all(item is held.items[0] for item in held.items):
            return held.items[0]
        if isinstance(held, Unknown) and held.symbol.key[0] == "repeat":
            return held
    return None


def without_first(value: Value) -> Value | None:
    """The array to which `x[None]` or `expand_dims(x, 0)` has given a first axis of one."""
    known = words(value.tags, "one of")
    return known[0][2] if known else None


def with_axis(value: Unknown, made: Unknown) -> Unknown:
    """`x[None]`: it remembers what it was made of."""
    kept = jax_facts.without(value.tags, LAYOUT | {"one of"})
    return Unknown(made.symbol, made.cause, kept | {fact("one of", value)})


def keeps_first(index: Value) -> bool:
    """`keys[:, i]`, `keys[:n]`: still one row for each of the first axis."""
    first = index.items[0] if isinstance(index, Tuple) and index.items else index
    return isinstance(first, SliceValue)


def adds_axis(index: Value) -> bool:
    first = index.items[0] if isinstance(index, Tuple) and index.items else index
    return first == NONE or (isinstance(first, External) and first.name.endswith(".newaxis"))
