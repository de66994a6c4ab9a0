"""Does a whole batch of a loader, as it came, have to be a multiple of something?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeGuard

from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.feeding import sharding, totals
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.starts.given import usual_number
from dtlint.machine.values import FALSE, Const, Object, SliceValue, Symbol, Tuple, Unknown, Value

HOLDERS = ("list", "dict", "set")
# what leaves the size of a batch as it is
SIZE_KEPT = frozenset(
    {
        "item",
        "attr",
        "batch",
        "numpy.asarray",
        "numpy.array",
        "jax.numpy.asarray",
        "jax.numpy.array",
        "numpy",
        "astype",
        "to",
    }
    | {"float", "any", "call", "Tensor.numpy", "jax.device_put", "torch.as_tensor", "leaf"}
)
WALKED = frozenset({"turn", "items", "loop", "for each", "comprehension"})

COPIES = frozenset({"astype", "copy"})
ARRAYS = frozenset({"numpy.asarray", "numpy.array", "jax.numpy.asarray", "jax.numpy.array"})
USUAL_DEVICES = 8  # on one host

RANGES = "ranges"  # fact: the ranges that were made, by the number that stands in what they give
LENGTHS = "lengths told"  # fact: what `__len__` of a class of the project gave, by the symbol of that length
STORED = "lengths of stored data"  # fact: symbols of the lengths of data sets that a library has read
HAND_CUT = "cut by hand"  # mark: a slice of stored data, the last of which holds what is left


def cut_by_hand(machine: Machine, index: SliceValue) -> tuple[Any, ...] | None:
    """`order[start : start + size]` for `start in range(0, len(order), size)`, where `order` is as long as what was
    read from somewhere: the mark for a slice that may be shorter at the end."""
    lower, upper = (held.symbol.key if isinstance(held, Unknown) else () for held in (index.lower, index.upper))
    if lower[:1] == ("op *",) and upper[:1] == ("op *",):
        number = next((part for part in lower[1:] if is_number(part)), None)
        size = next((part for part in lower[1:] if part is not number), None)
        steps = [part for part in upper[1:] if isinstance(part, Symbol) and part.key == ("op +", number, 1)]
        counted = size in upper[1:] and bool(steps)
    else:
        number = index.lower.symbol if isinstance(index.lower, Unknown) else None
        size = upper[2] if upper[:1] == ("op +",) and upper[1] is number else None
        counted = False
    walked = (
        machine.facts.get(RANGES, {}).get(number.key[1]) if isinstance(number, Symbol) and is_number(number) else None
    )
    if walked is None or size is None:
        return None
    start, stop, step = (walked.attributes[name] for name in ("start", "stop", "step"))
    if start != Const(0) or not isinstance(stop, Unknown):
        return None
    length = told_length(machine, stop.symbol)
    if counted:
        short = step == Const(1) and totals.rounded_up(length)
    else:
        short = token(step) == size and length.key[0] == "len"
    if not short or not (as_long_as_stored(machine, length) or leaves_rest(machine, length, size)):
        return None
    return (*sharding.remember(machine, HAND_CUT), number)


def told_length(machine: Machine, length: Symbol) -> Symbol:
    """What `__len__` of the project gave for this length, unless nobody knows whether it rounds up."""
    told: Symbol = machine.facts.get(LENGTHS, {}).get(length, length)
    chosen = (one for one in provenance.symbols_in(told) if one.key[0] == "phi")
    return length if any(totals.rounded_up(side) for one in chosen for side in one.key[1:]) else told


def is_number(part: Any) -> TypeGuard[Symbol]:
    return isinstance(part, Symbol) and part.key[0] == "number" and len(part.key) == 2


def as_long_as_stored(machine: Machine, length: Symbol) -> bool:
    """The length of something that was read, and not cut on the way."""
    symbols = list(provenance.symbols_in(length))
    rows = (machine.knowledge.api(one.key[0]) for one in symbols if isinstance(one.key[0], str))
    read = any(row is not None and row.record in ("load", "file-read") for row in rows)
    read = read or not machine.facts.get(STORED, frozenset()).isdisjoint(symbols)
    return read and not any(one.key[0] in ("slice", "op %") for one in symbols)


def leaves_rest(machine: Machine, length: Symbol, size: Any) -> bool:
    """Samples that a program makes in a number which is written down: is the last batch a shorter one, and not of a
    size that any usual number of devices divides?"""
    count, each = drawn_count(machine, length), usual_number(machine.facts, size)
    return count is not None and each is not None and each > 0 and count % each % USUAL_DEVICES != 0


def drawn_count(machine: Machine, symbol: Any) -> int | None:
    """The first size in the shape of what was drawn: `rng.normal(size=(1000, 16)).astype("float32")`"""
    while isinstance(symbol, Symbol) and len(symbol.key) > 1:
        what, first = symbol.key[:2]
        inner = first.key if isinstance(first, Symbol) else ("",)
        if what == "drawn" and isinstance(inner[0], str):
            reordered = inner[0].endswith(("permutation", "permuted"))
            if not reordered:
                shapes = [one for one in inner[1:] if isinstance(one, tuple) and is_shape(machine, one)]
                return usual_number(machine.facts, shapes[0][0]) if len(shapes) == 1 and shapes[0] else None
            symbol = inner[-1]
        elif what == "len" or what in ARRAYS:
            symbol = first
        elif what == "call" and inner[0] == "attr" and inner[2] in COPIES:
            symbol = inner[1]
        else:
            return None
    return None


def is_shape(machine: Machine, sizes: tuple[Any, ...]) -> bool:
    return all(usual_number(machine.facts, size) is not None for size in sizes)


def is_hand_cut(symbol: Any) -> bool:
    """Is this such a slice, or what stands at its places, with nothing added since?"""
    while isinstance(symbol, Symbol) and len(symbol.key) > 1:
        if symbol.key[0] == "for each":  # `{name: numpy.array(column) for name, column in rows.items()}`
            symbol = made_each(symbol)
            continue
        if symbol.key[0] not in SIZE_KEPT:
            break
        if symbol.key[0] == "item" and any(map(is_hand_cut, symbol.key[2:3])):
            return True
        symbol = symbol.key[1]
    return isinstance(symbol, Symbol) and symbol.key[0] == "slice"


def made_each(symbol: Symbol) -> Any:
    """What a comprehension makes of each item; of a dictionary, the values."""
    base = symbol.key[3] if len(symbol.key) > 3 and isinstance(symbol.key[3], Symbol) else None
    made = base.key[1] if base is not None and len(base.key) > 1 else None
    return made[-1] if isinstance(made, tuple) and made else made


def over_devices(machine: Machine, batch: Value, call: Invocation) -> tuple[Any, ...] | None:
    """`batch.reshape(device_count, -1, …)`: a whole batch has to be a multiple of this number (as a token)."""
    sizes = containers.items_of(machine, call.arguments[0]) if call.arguments else None
    first = sizes[0] if sizes else call.arguments[0] if call.arguments else None
    count: Any = token(first) if isinstance(first, Const) else None
    if isinstance(first, Unknown) and first.symbol.key[0] in ("op +", "tuple"):
        count = first.symbol.key[1]  # `(count, -1) + x.shape[1:]`, `(count, -1, *x.shape[1:])`
        if isinstance(count, tuple) and count and isinstance(count[0], tuple):
            count = count[0]
    of_devices = isinstance(count, tuple) and count[-1:] in (("local",), ("world",)) and unpadded(batch)
    return count if of_devices else None


def into_shape(batch: Value, call: Invocation) -> tuple[Any, ...]:
    """`batch.reshape(shape + (length,))`: what may be the size of a whole batch, in dimensions (as tokens), where none
    is left open."""
    first = call.arguments[0] if len(call.arguments) == 1 and unpadded(batch) else None
    if isinstance(first, Tuple):
        open_ones = [one for one in first.items if isinstance(one, Const) and one.value == -1]
        return () if open_ones else tuple(token(Tuple(first.items[:count])) for count in range(1, len(first.items)))
    if isinstance(first, Unknown) and first.symbol.key[0] == "op +":
        size, rest = first.symbol.key[1:3]
        return () if leaves_open(rest) else (size,)
    return ()


def leaves_open(shape: Any) -> bool:
    """A dimension of -1, in a shape as a token."""
    return shape == -1 or (isinstance(shape, tuple) and any(leaves_open(part) for part in shape))


EXAMPLE = "made like a batch"  # fact of a tensor: the batch it has the shape of


def like_batch(machine: Machine, buffer: Object, batch: Value) -> None:
    """`torch.empty_like(batch)`: room for as many samples as a loader was asked for."""
    size = size_of(machine, batch)
    if size is not None:
        buffer.facts.update({"length": size, EXAMPLE: taken_as(batch)})


def size_of(machine: Machine, batch: Value) -> Value | None:
    """What the loader of a batch, as it came, was asked for."""
    found = provenance.marks(batch, "loader", 1) if unpadded(batch) else []
    loader = machine.facts.get("loaders", {}).get(found[0][1]) if len(found) == 1 else None
    call = loader.facts.get("call") if loader is not None else None
    return call.get("batch_size") if isinstance(call, Invocation) else None


def taken_as(batch: Value) -> Symbol | None:
    """What the loader gave at once, of which this is a part, at whatever place it is now."""
    symbols = steps_of(batch.symbol) if isinstance(batch, Unknown) else ()
    return next((one for one in symbols if one.key[0] == "batch"), None)


def into_buffer(machine: Machine, buffer: Value, call: Invocation) -> None:
    """`buffer.copy_(batch)`: the buffer was made for batches of one size, or is another batch that was kept."""
    batch = call.arguments[0]
    made_like = buffer.facts.get(EXAMPLE) if isinstance(buffer, Object) else taken_as(buffer)
    size = buffer.facts.get("length") if isinstance(buffer, Object) else size_of(machine, buffer)
    if isinstance(size, Value) and unpadded(batch) and (made_like is None or taken_as(batch) is not made_like):
        machine.emit_event("record", "fixed-size", call.name, call.mask, subject=batch, extra={"size": size})


COMPILED = "compiled for each size"  # fact of a model: whoever gives it batches of two sizes waits twice
CAPTURED = "captured for"  # fact of a model: the size of the batch its graph was captured with


def captured(machine: Machine, call: Invocation) -> Value:
    """`make_graphed_callables(model, (example,))`: the model itself, which from now on takes batches of one size."""
    model, given = (*call.arguments, call.get("sample_args"), None)[:2]
    example = next(iter(containers.items_of(machine, given) or ()), None) if given is not None else None
    size = example.facts.get("length") if isinstance(example, Object) else None
    if isinstance(model, Object) and isinstance(size, Value):
        model.facts[CAPTURED] = size
    return model if model is not None else call.arguments[0]


def compiled(machine: Machine, call: Invocation) -> None:
    """`torch.compile(model, dynamic=False)`: for each size of its batches once more."""
    model = call.get("model")
    inner = model.attributes.get("module", model) if isinstance(model, Object) else None
    if isinstance(inner, Object) and call.get("dynamic") == FALSE:
        inner.facts[COMPILED] = True


def into_graph(machine: Machine, model: Object, given: tuple[Value, ...], mask: int) -> None:
    """A captured model, or the wrapper around it, is called with a batch: it is copied to where the example was."""
    inner = model.attributes.get("module", model)
    if not isinstance(inner, Object):
        return
    size = inner.facts.get(CAPTURED)
    for batch in given if size is not None or COMPILED in inner.facts else ():
        if unpadded(batch) and size is not None:
            machine.emit_event("record", "fixed-size", "forward", mask, subject=batch, extra={"size": size})
        elif unpadded(batch):
            machine.emit_event("record", "static-size", "forward", mask, subject=batch)


def of_loop(part: Value) -> bool:
    return provenance.has_mark(part, "loader", 1) or provenance.has_mark(part, HAND_CUT, 0)


def unpadded(batch: Value | None) -> bool:
    """Is this a batch just as the loader gave it?"""
    if isinstance(batch, Object) and batch.kind in HOLDERS:
        batch = next((one for one in batch.attributes.values() if of_loop(one)), None)
    if isinstance(batch, Tuple):  # `device_put((images, labels), …)`
        batch = next((one for one in batch.items if of_loop(one)), None)
    if isinstance(batch, Unknown) and provenance.has_mark(batch, HAND_CUT, 0):
        return is_hand_cut(batch.symbol)
    if not isinstance(batch, Unknown) or not provenance.has_mark(batch, "loader", 1):
        return False
    return all(symbol.key[0] in SIZE_KEPT or symbol.key[0] in WALKED for symbol in steps_of(batch.symbol))


def steps_of(symbol: Symbol) -> Iterator[Symbol]:
    """What was done to come here. `x.numpy() if hasattr(x, "numpy") else x`: one of two things, whatever was asked."""
    todo, seen = [symbol], set[Symbol]()
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        sides = one.key[2:] if one.key[0] == "phi" else one.key
        if one.key[0] != "phi" or not all(isinstance(side, Symbol) for side in sides):
            yield one
        todo.extend(provenance.inner_symbols(sides))


MODELS: dict[str, Any] = {"captured": captured, "compiled_for_sizes": compiled}
