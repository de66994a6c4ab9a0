"""What is drawn from a generator, in which order, and does every rank draw the same?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance, tensors
from dtlint.machine.library.computing.provenance import MADE_OF
from dtlint.machine.library.drawing.seeds import (
    GENERATORS,
    SEEDED,
    UNSEEDED,
    State,
    current,
    generator_for,
    of_generator,
    ordering,
    state_of,
)
from dtlint.machine.library.feeding import picks, sharding, totals
from dtlint.machine.library.feeding.multiples import told_to_fit
from dtlint.machine.library.invocation import LOCAL, Invocation
from dtlint.machine.names import assignment, classes
from dtlint.machine.values import BY_SHARE, FALSE, NONE, TRUE, Cause, Object, Symbol, Trail, Tuple, Unknown, Value

IN_LESSON = "in lesson"  # of a draw: a framework learns from what the method around it gives
OWN_NUMBERS = "numbers of its own"  # of a tensor: a script drew it that had seeded nothing
PERMUTES = frozenset({"shuffle", "permutation", "permuted", "sample", "choice", "choices"})
PICKS = frozenset({"sample", "choice", "choices"})
REORDERS = frozenset({"permutation", "permuted"})


def torch_draw(machine: Machine, call: Invocation) -> Value | None:
    """`torch.randn(…)`: a tensor; which generator it came from stays with the event."""
    from dtlint.machine.library.python import builtins as python

    call.extra["rng"] = generator_for(machine, call, "torch")
    call.extra[IN_LESSON] = in_lesson(machine)
    call.extra["device"] = current(machine, "cuda")
    made = tensors.construct(machine, call)
    if made is None:
        made = python.opaque(machine, call)
    if isinstance(made, Object) and call.extra["rng"].verdict == "unseeded":
        made.facts[OWN_NUMBERS] = True
    if isinstance(made, Unknown) and call.name.endswith("randperm"):
        return as_many(machine, call, drawn_order(machine, call, made, call.extra["rng"]))
    note_count(machine, call, made)
    made = as_many_as_asked(call, made)
    return picks.drawn(machine, drawn_apart(machine, call, made, call.extra["rng"]), call.extra["rng"])


def in_lesson(machine: Machine) -> bool:
    """Is this below a method whose result a framework differentiates?"""
    return classes.called_as(machine, lambda known: known.losses)


def one_of_them(machine: Machine, call: Invocation, drawn: Unknown) -> Unknown:
    """`choice(sources)`, `choices(sources, weights)[0]`: whichever it is that all ranks pick, it is like any other."""
    name = call.name.rpartition(".")[2]
    given = call.arguments[0] if call.arguments else NONE
    if name not in PICKS or drawn.cause is not None or not isinstance(given, Object | Tuple):
        return drawn
    one = containers.element(machine, given)
    like = one if isinstance(one, Object) else getattr(one, "like", None)
    if like is None:
        return drawn
    if name != "choice":
        several = machine.new("list", call.mask)
        several.attributes["[]"] = machine.unknown("item", drawn.symbol, tags=one.tags, like=like)
        like = several
    return Unknown(drawn.symbol, None, drawn.tags, like)


def seeded_by_framework(machine: Machine) -> bool:
    """Is this below a method that a trainer calls, which has seeded all generators when it was made?"""
    return classes.called_as(machine, lambda known: known.hooks if known.seeds else ())


def drawn_apart(machine: Machine, call: Invocation, made: Value, state: State) -> Value:
    """Numbers drawn from a generator that each rank has seeded for itself."""
    if state.verdict != "differs" or state.cause is None:
        return made
    cause = Cause("random", Trail(machine.step(f"`{call.name}` draws other numbers on each rank"), state.cause.trail))
    if isinstance(made, Object) and made.kind == "torch.Tensor":
        made.attributes["content"] = machine.fresh("drawn", cause)
    elif isinstance(made, Unknown) and made.cause is None:
        return Unknown(made.symbol, cause, made.tags, made.like)
    return made


def distribution(machine: Machine, call: Invocation) -> Value:
    """`Categorical(logits=policy(x))`: what is drawn from it, or asked of it, comes from what it was made of."""
    made = machine.new(call.row.type or call.name, call.mask)
    made.facts["call"] = call
    for position, value in enumerate(call.values):
        made.attributes[f"{MADE_OF}{position}"] = value
    return made


def drawn_order(machine: Machine, call: Invocation, value: Unknown, state: State) -> Unknown:
    """A permutation that ranks may not agree on. Of what a rank has been given already it is nobody else's concern."""
    own = any(own_part(given) or counts_own_part(machine, given) for given in call.arguments)
    if disagrees(state, call.mask) and not own:
        return provenance.marked(value, order_mark(machine, call, state))
    return value


def counts_own_part(machine: Machine, value: Value) -> bool:
    """`len(parts[rank])`: how many there are of what each rank has another part of."""
    key = value.symbol.key if isinstance(value, Unknown) else ()
    if key[:1] != ("len",):
        return False
    of_each = isinstance(key[1], tuple) and len(key[1]) == machine.world.size
    return of_each or (value.cause is not None and value.cause.kind in ("rank", "shard"))


def as_many(machine: Machine, call: Invocation, order: Unknown) -> Unknown:
    """`permutation(len(rows))`, `permutation(rows)`: as many as there are, on each rank."""
    given = call.arguments[0] if call.arguments else NONE
    fits = totals.multiple(token(given), machine.world.size) if isinstance(given, Unknown) else None
    if totals.EVEN in (fits, totals.total_of(machine, given), total_counted(machine, given)):
        machine.facts.setdefault(totals.EVEN_COUNTS, set()).add(order.symbol)
    cause = containers.length_cause(machine, given)
    if cause is None and isinstance(given, Unknown) and given.symbol.key[0] == "len":
        cause = given.cause
    if cause is None:
        return order
    return Unknown(order.symbol, cause, order.tags | {totals.UNEVEN} | sharding.counted(given), order.like)


def as_many_as_asked(call: Invocation, drawn: Value) -> Value:
    """`multinomial(weights, count)`: as many on all ranks, however many weights each of them has."""
    asked = call.get(str(call.row.extra.get("counts", "")))
    if asked is None or asked.cause is not None or not isinstance(drawn, Unknown):
        return drawn
    return Unknown(drawn.symbol, drawn.cause, containers.without_lengths(drawn.tags), drawn.like)


def total_counted(machine: Machine, number: Value) -> int | str | None:
    """`len(groups)` of what was cut to a multiple of the ranks."""
    key = number.symbol.key if isinstance(number, Unknown) else ()
    counted = key[1] if key[:1] == ("len",) else None
    return totals.total_of_symbol(machine, counted, machine.world.size) if isinstance(counted, Symbol) else None


def note_count(machine: Machine, call: Invocation, drawn: Value) -> None:
    """`choices(items, k=share * world)`, `multinomial(weights, share * world)`, `randint(high, (share * world,))`: as
    many are drawn as were asked for, which is a multiple of the number of ranks."""
    given = (*call.values, *(value for _, value in call.keywords))
    asked = (one for value in given for one in (value.items if isinstance(value, Tuple) else (value,)))
    fits = told_to_fit(machine)
    if isinstance(drawn, Unknown) and any(
        isinstance(one, Unknown) and totals.multiple(one.symbol, machine.world.size, fits) == totals.EVEN
        for one in asked
    ):
        machine.facts.setdefault(totals.EVEN_COUNTS, set()).add(drawn.symbol)


def order_mark(machine: Machine, call: Invocation, state: State) -> tuple[Any, ...]:
    reason = state.cause.kind if state.cause is not None else state.verdict
    place = sharding.remember(machine, "order")
    generator = call.receiver
    if isinstance(generator, Object) and generator.kind in GENERATORS and generator.at and state.site is None:
        scope = str(generator.facts.get("scope", ""))
        state = replace(state, site=(generator.path, generator.at, scope))  # nobody seeded it: where it was made
    machine.facts.setdefault("order states", {})[place[1:3]] = state
    return (*place, call.name, reason)


def host_draw(machine: Machine, call: Invocation) -> Value | None:
    """Python's and NumPy's global generators: alike where they were seeded alike."""
    from dtlint.machine.library.python import builtins as python

    register = "numpy" if call.name.startswith("numpy.") else "python"
    call.extra["rng"] = current(machine, register)
    state = ordering(machine, register)
    name = call.name.rpartition(".")[2]
    own = sharding.is_part(call.arguments[0]) if call.arguments and name in PICKS else None
    if own is not None and own.kind in BY_SHARE:  # whichever it is, it is one of this rank's
        part_of = frozenset(provenance.marks(call.arguments[0], "ordered", 2))
        return machine.unknown("drawn", call.name, machine.symbols.fresh("time"), cause=own, tags=part_of)
    if state.verdict == "same" and (state.site is not None or seeded_by_framework(machine)):
        drawn = one_of_them(machine, call, machine.unknown("drawn", call.name, machine.symbols.fresh("time")))
        note_count(machine, call, drawn)
        return picks.drawn(machine, as_many(machine, call, drawn) if name in REORDERS else drawn, state)
    if name in PERMUTES and disagrees(state, call.mask):
        result = python.opaque(machine, call)
        symbol = result.symbol if isinstance(result, Unknown) else machine.symbols.fresh("drawn")
        cause = state.cause or machine.cause("random", f"`{call.name}` draws on each rank for itself")
        order = provenance.marked(Unknown(symbol, cause, result.tags), order_mark(machine, call, state))
        note_count(machine, call, order)
        return as_many(machine, call, order) if name in REORDERS else order
    return None


def shuffle(machine: Machine, call: Invocation) -> Value | None:
    """`random.shuffle(items)`: the order of the list now depends on the generator."""
    register = "numpy" if call.name.startswith("numpy.") else "python"
    call.extra["rng"] = current(machine, register)
    state = ordering(machine, register)
    shuffled(machine, call, call.arguments[0] if call.arguments else NONE, state)
    return NONE


def shuffled(machine: Machine, call: Invocation, value: Value, state: State) -> None:
    from dtlint.machine.library.python import thrown_away

    thrown_away.of_a_copy(machine, call, value)
    held = value.attributes.get("[]") if isinstance(value, Object) else None
    if held is not None and own_part(held):
        return  # each rank shuffles its own part
    if isinstance(value, Object) and value.kind == "list" and held is not None:
        made = machine.unknown(
            "shuffled", value.number, machine.symbols.fresh("time"), tags=held.tags, cause=held.cause
        )
        items = containers.items_of(machine, value)
        if items is not None:
            first = containers.element(machine, value)
            made = Unknown(made.symbol, made.cause, made.tags, getattr(first, "like", None))
            machine.facts.setdefault("shuffled counts", {})[made.symbol] = len(items)
        if totals.total_of(machine, value) == totals.EVEN:  # as many as before
            machine.facts.setdefault(totals.EVEN_COUNTS, set()).add(made.symbol)
        if disagrees(state, call.mask):
            made = provenance.marked(made, order_mark(machine, call, state))
        machine.set(value, "[]", made, call.mask)
    elif isinstance(value, Unknown) and disagrees(state, call.mask):
        given = call.node.args[0] if call.node is not None and call.node.args else None
        if isinstance(given, ir.Name | ir.Attr) and not own_part(value):
            # what a library gave is known by its variable only
            ordered = provenance.marked(value, order_mark(machine, call, state))
            assignment.assign_target(machine, given, ordered, call.mask)


def disagrees(state: State, mask: int) -> bool:
    """Do several ranks draw, and each something else? What one rank draws alone it may well tell the others."""
    return state.verdict in ("unseeded", "differs") and mask & (mask - 1) != 0


def own_part(value: Value) -> bool:
    return provenance.has_mark(value, "shard", 0) or (value.cause is not None and value.cause.kind in BY_SHARE)


def method(machine: Machine, receiver: Object, name: str, call: Invocation) -> Value | None:
    """Methods of a generator object."""
    from dtlint.machine.library.python import builtins as python
    from dtlint.machine.library.python import thrown_away

    if receiver.kind not in GENERATORS or receiver.kind == "torch.Generator":
        return None
    if name == "seed":
        value = call.arguments[0] if call.arguments else call.get("a") or call.get("seed") or NONE
        machine.set(receiver, SEEDED, UNSEEDED if value == NONE else value, call.mask)
        return NONE
    state = of_generator(machine, receiver)
    call.extra.update({"rng": state, IN_LESSON: in_lesson(machine)})
    machine.emit_event("record", "draw", f"{receiver.kind}.{name}", call.mask, subject=receiver, extra={"call": call})
    if name == "shuffle":
        shuffled(machine, call, call.arguments[0] if call.arguments else NONE, state)
        return NONE
    thrown_away.of_generator(machine, call, name)
    result = python.opaque(machine, call)
    if not isinstance(result, Unknown):
        return result
    # each draw gives something else, whatever the arguments
    symbol = machine.symbols.of("drawn", result.symbol, machine.symbols.fresh("time"))
    cause = result.cause or state.cause
    if cause is None and state.verdict == "unseeded":
        cause = machine.cause("random", f"`{receiver.kind}` without a seed draws on each rank for itself")
    result = Unknown(symbol, cause, result.tags, result.like)
    result = drawn_order(machine, call, result, state) if name in PERMUTES else result
    result = one_of_them(machine, call, result)
    note_count(machine, call, result)
    result = as_many(machine, call, result) if name in REORDERS else result
    return picks.drawn(machine, result, state)


def split(machine: Machine, call: Invocation) -> Value | None:
    """`random_split`, `train_test_split`: two parts of one data set, drawn from a generator."""
    register = "torch" if call.name.startswith("torch.") else "numpy"
    state = generator_for(machine, call, register)
    given = call.get("seed") if call.name.startswith("datasets.") else None
    if given is not None and given != NONE:
        state = state_of(machine, given, None)
    asked = call.row.extra.get("shuffles") == "asked"  # in order, unless told to shuffle
    if call.get("shuffle") != FALSE and (not asked or call.get("shuffle") == TRUE):
        call.extra["rng"] = state
    source = call.receiver if call.receiver is not None else (call.arguments[0] if call.arguments else NONE)
    if call.name.startswith("torch."):
        lengths = containers.items_of(machine, call.arguments[1]) if len(call.arguments) > 1 else None
        count = len(lengths) if lengths is not None else 2
        made = []
        for _ in range(count):
            one = machine.new("torch.utils.data.Subset", call.mask)
            one.attributes["dataset"] = source
            one.facts["split"] = call
            made.append(one)
        return machine.new_list(tuple(made), call.mask)
    if call.name.startswith("datasets.") and call.receiver is not None:
        return call.receiver
    return None


OWN_SEED = "own seed"  # fact of a data set: the seed for all that is drawn from here on


def dataset_seeded(machine: Machine, call: Invocation) -> Value | None:
    """`MapDataset.source(rows).seed(seed).shuffle()`"""
    receiver = call.receiver
    if not isinstance(receiver, Object):
        return receiver
    made = machine.anew(receiver, call.mask)
    made.facts[OWN_SEED] = call.get("seed")
    return made


def dataset_shuffle(machine: Machine, call: Invocation) -> Value | None:
    """`dataset.shuffle(seed=…)`: without a seed every process draws its own order, unless NumPy was seeded."""
    receiver = call.receiver
    if not isinstance(receiver, Object):
        return receiver
    given = call.get("seed") or receiver.facts.get(OWN_SEED)
    if given is None and call.get("generator") is not None:
        return receiver
    state = state_of(machine, given, None) if given is not None and given != NONE else current(machine, "numpy")
    made = machine.anew(receiver, call.mask)
    made.facts["shuffled"] = sharding.site(machine)
    if state.cause is not None and state.cause.kind in BY_SHARE:
        made.facts.setdefault("sharded by", Cause("data", state.cause.trail))  # an order of its own for each rank
    if disagrees(state, call.mask) and "shard" not in receiver.facts:
        mark = order_mark(machine, call, state)
        made.attributes["order"] = provenance.marked(machine.unknown("order", made.number), mark)
    return made


SAMPLED = "sampled"  # fact of the run: of which table, and by which generator, a sample was drawn
FRAMES = ("pandas.", "polars.")
SHARES_OF_FRAME = frozenset({"frac", "fraction"})  # keywords that nothing else which can be sampled has


def of_frame(receiver: Value, call: Invocation) -> bool:
    """Is it a table of pandas or polars that is sampled? Nobody else takes a fraction."""
    if any(name in SHARES_OF_FRAME for name, _ in call.keywords):
        return True

    def read(symbol: Symbol) -> bool:
        return isinstance(symbol.key[0], str) and symbol.key[0].startswith(FRAMES)

    return provenance.mentions(receiver, read, 0)


def sample_of_frame(machine: Machine, frame: Value, call: Invocation) -> Value:
    """`frame.sample(frac=0.1)`: rows drawn by NumPy's generator, unless it is told a seed."""
    from dtlint.machine.library.python import builtins as python

    result = python.opaque(machine, call)
    seed = call.get("seed")
    state = generator_for(machine, call, "numpy") if seed in (None, NONE) else state_of(machine, seed, None)
    if not isinstance(result, Unknown):
        return result
    symbol = machine.symbols.of("drawn", result.symbol, machine.symbols.fresh("time"))
    machine.facts.setdefault(SAMPLED, {})[symbol] = (getattr(frame, "symbol", None), state)
    return drawn_order(machine, call, Unknown(symbol, result.cause, result.tags, result.like), state)


def rest_of_frame(machine: Machine, frame: Value, call: Invocation) -> None:
    """`frame.drop(sample.index)`: the rows that were not drawn. Together they are a split."""
    given = call.arguments[0] if call.arguments else call.get("index")
    key = given.symbol.key if isinstance(given, Unknown) else ()
    whole, state = machine.facts.get(SAMPLED, {}).get(key[1] if key[::2] == ("attr", "index") else None, (None, None))
    if whole is not None and isinstance(frame, Unknown) and frame.symbol is whole:
        call.extra["rng"] = state
        machine.emit_event("record", "random-split", "drop", call.mask, subject=frame, extra={"call": call})


def rest_by_mask(machine: Machine, base: Value, index: Value, mask: int) -> None:
    """`rows[~mask]` of a mask that says of drawn numbers which are smaller: the rows that `rows[mask]` leaves."""
    chosen = index.symbol.key[1] if isinstance(index, Unknown) and index.symbol.key[0] == "unary ~" else None
    if not isinstance(chosen, Symbol) or not str(chosen.key[0]).startswith("compare ") or base.cause is not None:
        return
    if index.cause is None or index.cause.kind not in (*BY_SHARE, "random"):
        return
    if not any(str(one.key[0]).startswith(DRAWS) for one in provenance.symbols_in(chosen)):
        return
    own = (
        State("unseeded", UNSEEDED, None)
        if index.cause.kind == "random"
        else State("differs", index, None, index.cause)
    )
    call = Invocation("__getitem__", LOCAL, base, (index,), (), mask, None, {"rng": own})
    machine.emit_event("record", "random-split", "__getitem__", mask, subject=base, extra={"call": call})


DRAWS = ("source", "drawn", "numpy.random.", "random.")  # symbols of what a generator gave


def text_hash(machine: Machine, call: Invocation) -> Value | None:
    """`hash()` of a text, or of a tuple that has one, is salted anew in every process."""
    from dtlint.machine.library.python import options, own_order

    value = call.arguments[0] if call.arguments else None
    parts = value.items if isinstance(value, Tuple) else (value,)
    if any(options.is_text(machine, one) or own_order.is_text(machine, one) for one in parts):
        cause = machine.cause("process", "`hash()` of a text is different in every process")
        return machine.unknown("hash", machine.symbols.fresh("process"), cause=cause)
    return None


MODELS: dict[str, Any] = {
    "torch_draw": torch_draw,
    "torch_distribution": distribution,
    "host_draw": host_draw,
    "shuffle_in_place": shuffle,
    "random_split": split,
    "text_hash": text_hash,
    "dataset_shuffle": dataset_shuffle,
    "dataset_seeded": dataset_seeded,
}
