"""Which part of the data does each rank take?

A slice, range or filter that depends on the rank is a *shard*. It is *uneven* where the lengths can be shown to differ:
`files[rank::world]` of a list whose length is not cut to a multiple first, slices of a share that was rounded up, a
filter on `index % world`. Shares rounded down are even.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dtlint.findings import Step
from dtlint.machine.contents import dealt
from dtlint.machine.core import Machine
from dtlint.machine.lanes import is_switch, token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.feeding import named_parts
from dtlint.machine.library.feeding.multiples import is_multiple, told_to_fit
from dtlint.machine.library.feeding.totals import (
    EVEN,
    EVEN_COUNTS,
    SIZES,
    UNEVEN,
    contiguous_share,
    multiple,
    numbers,
    rounded_up,
    total_of,
)
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.meeting import evidence
from dtlint.machine.logs import Site, decisions
from dtlint.machine.values import (
    BY_RANK,
    BY_SHARE,
    NONE,
    TRUE,
    Cause,
    Const,
    Object,
    Row,
    SliceValue,
    Trail,
    Unknown,
    Value,
)

COUNTED = "counted shard"  # mark: the number of items of a part, or what was made with as many


def site(machine: Machine) -> Site:
    return (machine.frame.path, machine.current_at, machine.frame.scope)


def remember(machine: Machine, kind: str, place: Site | None = None) -> tuple[Any, ...]:
    """A mark for something that happened here; rules find the exact place under it."""
    path, at, scope = place or site(machine)
    return (kind, path, at, scope)


def shard_step(mark: tuple[Any, ...], text: str = "each rank takes its own part here") -> Step:
    return Step(mark[1], mark[2][0], text)


def part(machine: Machine, base: Value, index: SliceValue, result: Unknown, differing: Value) -> Value:
    """A slice whose bounds differ between lanes."""
    cause = differing.cause
    assert cause is not None
    # what JAX knows of the whole, the slice has already, as far as it is true of a part
    inherited = frozenset(tag for held in provenance.parts(base, 2) for tag in held.tags if not jax_facts.is_jax(tag))
    if cause.kind not in BY_SHARE:
        return Unknown(result.symbol, cause, result.tags | inherited | {UNEVEN})
    mark = remember(machine, "shard")
    note_share(machine, index.lower, index.step)
    tags = result.tags | inherited | {mark}
    if not any(own_gathering(held) for held in provenance.parts(base, 1)):
        tags |= {("ordered", *tag[1:]) for tag in inherited if isinstance(tag, tuple) and tag[0] == "order"}
    lengths = part_lengths(machine, base, index)
    if lengths == EVEN:
        return Unknown(result.symbol, cause, tags - {UNEVEN})
    if isinstance(lengths, tuple) and len(set(lengths)) == 1:
        return Unknown(result.symbol, cause, tags - {UNEVEN})
    if lengths is None:
        kept = tags - {UNEVEN} if index.lower.cause is not None else tags | {UNEVEN}
        return Unknown(result.symbol, cause, kept)
    if isinstance(lengths, tuple):
        tags |= {("lengths", lengths)}
    why = Cause(
        "shard",
        Trail(shard_step(mark, "each rank takes its own part here, and the parts are not equally long"), cause.trail),
    )
    return Unknown(result.symbol, why, tags | {UNEVEN})


def own_gathering(items: Value) -> bool:
    """What this rank has put together, of as much as it came to, may be cut in whatever order it has."""
    return UNEVEN in items.tags and items.cause is not None and items.cause.kind in BY_SHARE


OF_NODE = frozenset({"local rank", "node"})


def of_node(index: Value, count: Value | None, standard: bool = False) -> bool:
    """Is one of as many shares as there are ranks picked by a number that ranks of several nodes have in common?"""
    everybody = standard or (isinstance(count, Const) and count.scale == "world")
    picked = numbers(index)
    if not everybody or picked is None or index.cause is None or index.cause.kind not in OF_NODE:
        return False
    return len(set(picked)) < len(picked)


def note_share(machine: Machine, index: Value, count: Value | None) -> None:
    """Is what picks one of the shares no number of one of them?"""
    if of_node(index, count):
        assert index.cause is not None
        machine.facts.setdefault("node shares", {})[site(machine)] = index.cause
    elif index.cause is not None and index.cause.kind == "rank":
        if any(count is counted for counted in machine.facts.get(jax_facts.ALL_DEVICES, ())):
            jax_facts.note(machine, "device shares", machine.frame.mask, None, index.cause.steps())
        elif jax_facts.counts_own(machine, count):
            jax_facts.note(machine, "own device shares", machine.frame.mask, None, index.cause.steps())


def node_shares(facts: dict[str, Any]) -> list[tuple[Site, Cause]]:
    return list(facts.get("node shares", {}).items())


PIECES = "pieces"
IN_PARTS = "divided into"  # fact of the run: into how many, by the symbol of the parts


def divided(machine: Machine, call: Invocation) -> Value | None:
    """`numpy.array_split(items, world)`: one piece for each rank, the first ones longer if it does not fit."""
    from dtlint.machine.library.python import builtins as python

    whole, count = call.get("items") or call.receiver, call.get("count")
    result = python.opaque(machine, call)
    if whole is None or count is None or not isinstance(result, Unknown):
        return None
    if not isinstance(count, Const) or count.scale not in SIZES:
        fewer = bool(call.row.extra.get("fewer"))
        if not fewer and multiple(token(count), machine.world.size, told_to_fit(machine)) == EVEN:
            machine.facts.setdefault(EVEN_COUNTS, set()).add(result.symbol)
        return result
    total = total_of(machine, whole)
    if isinstance(total, int):
        total = EVEN if isinstance(count.value, int) and count.value > 0 and total % count.value == 0 else UNEVEN
    machine.facts.setdefault(IN_PARTS, {})[result.symbol] = count
    fits = total == EVEN or made_to_fit(call)
    orders = [("ordered", *tag[1:]) for tag in provenance.marks(whole, "order", 1)]
    return provenance.marked(result, (PIECES, fits, tuple(orders)))


def taken_between(machine: Machine, call: Invocation) -> Value | None:
    """`with state.split_between_processes(items) as mine`: a part for each rank, unless padded some shorter."""
    whole = call.get("inputs")
    if whole is None:
        return None
    evidence.noticed(machine, call.name.rpartition(".")[2])
    mark, total = remember(machine, "shard"), total_of(machine, whole)
    fits = total == EVEN or (isinstance(total, int) and total % machine.world.size == 0) or made_to_fit(call)
    unshared = (("ordered", *tag[1:]) for tag in provenance.marks(whole, "order", 0))
    symbol = machine.symbols.of("piece", token(whole), call.name)
    cause = machine.cause("rank", "each rank takes its own part here")
    tags = frozenset({mark, *unshared})
    if fits:
        return Unknown(symbol, cause, tags)
    text = "each rank takes its own part here, and the parts are not equally long"
    return Unknown(symbol, Cause("shard", Trail(shard_step(mark, text), cause.trail)), tags | {UNEVEN})


def made_to_fit(call: Invocation) -> bool:
    """What is left over is refused or filled up, always or if one of these parameters says so."""
    given = call.row.extra.get("fits")
    return bool(given) if isinstance(given, bool | None) else any(call.get(name) == TRUE for name in given)


def piece(machine: Machine, base: Value, index: Value) -> Value | None:
    """`pieces[rank]`; `order.reshape(world, -1)[rank]` is a piece of what may have another order on each rank."""
    cause = index.cause
    if cause is None or cause.kind not in BY_SHARE or not isinstance(base, Unknown | Object):
        return None
    if isinstance(base, Unknown):
        note_share(machine, index, machine.facts.get(IN_PARTS, {}).get(base.symbol))
    found = provenance.marks(base, PIECES, 1) or ([(PIECES, False, ())] if dealt.by_need(machine, base) else [])
    deep = 1 if isinstance(base, Object) and base.kind == "list" and is_of_share(index) else 0
    unshared = tuple(("ordered", *tag[1:]) for tag in provenance.marks(base, "order", deep))
    if not found and not unshared:
        return None
    _, fits, orders = found[0] if found else (PIECES, True, unshared)
    mark = remember(machine, "shard")
    symbol = machine.symbols.of("piece", token(base), token(index))
    if fits:
        return Unknown(symbol, cause, frozenset({mark, *orders}))
    text = "each rank takes its own part here, and the parts are not equally long"
    why = Cause("shard", Trail(shard_step(mark, text), cause.trail))
    return Unknown(symbol, why, frozenset({mark, UNEVEN, *orders}))


def is_of_share(index: Value) -> bool:
    """`for i in range(rank, len(files), world)`, `for i in order[rank::world]`: a place in a list that is this rank's.
    What a rank has drawn for itself is not."""
    by_rank = index.cause is not None and index.cause.kind in BY_RANK
    numbered = by_rank and isinstance(index, Unknown) and index.symbol.key[0] == "number"
    return numbered or provenance.has_mark(index, "shard", 0)


def part_lengths(machine: Machine, base: Value, index: SliceValue) -> tuple[int, ...] | str | None:
    """How long each lane's part is: exact numbers, "even", "uneven", or None when nothing can be shown."""
    total = total_of(machine, base)
    step = index.step
    if isinstance(step, Const) and step.scale in SIZES and isinstance(step.value, int) and step.value > 1:
        if not isinstance(index.lower, Row):
            return None
        if index.upper != NONE:
            return None
        if total_of(machine, base, step.value) == EVEN:
            return EVEN
        starts = numbers(index.lower)
        if isinstance(total, int) and starts is not None:
            return tuple(len(range(start, total, step.value)) for start in starts)
        return UNEVEN
    if isinstance(step, Unknown) and step.cause is None and is_multiple(step.symbol, machine.world.size):
        # `world * workers`: the workers of a rank have the shares of it
        if index.lower.cause is None or index.upper != NONE:
            return None
        if isinstance(total, int) and total % machine.world.size == 0:
            return None  # how many workers share them is not known
        return EVEN if total == EVEN else UNEVEN
    if step != NONE or index.lower.cause is None:
        return None
    low, high = index.lower, index.upper
    if high == NONE:
        return None
    starts, ends = numbers(low), numbers(high)
    if starts is not None and ends is not None:
        if isinstance(total, int):
            return tuple(max(0, min(end, total) - min(start, total)) for start, end in zip(starts, ends, strict=True))
        widths = {end - start for start, end in zip(starts, ends, strict=True)}
        return EVEN if len(widths) == 1 else None
    share = contiguous_share(low, high, machine.world.size)
    if share is not None:
        return UNEVEN if rounded_up(share) and total != EVEN else EVEN
    if one_takes_the_rest(base, low, high, machine.world.size):
        return EVEN if total == EVEN else UNEVEN
    return None


def one_takes_the_rest(base: Value, low: Value, high: Value, world: int) -> bool:
    """`stop = len(items) if rank == world - 1 else start + share`: what a division has left over goes to one rank."""
    ends = high.lanes if isinstance(high, Row) else ()
    last = [
        lane for lane, end in enumerate(ends) if isinstance(end, Unknown) and end.symbol.key[:2] == ("len", token(base))
    ]
    return last == [world - 1] and contiguous_share(low, high, world - 1) is not None


@dataclass(frozen=True, slots=True)
class Skipped:
    """What a filter that depends on the rank does to a list."""

    cause: Cause
    even: bool
    marks: frozenset[Any] = frozenset()


def skipped(
    machine: Machine, cause: Cause, source: Value, own: bool, place: tuple[str, Any, str] | None = None
) -> Skipped:
    """`[item for number, item in enumerate(items) if number % world == rank]`; what each rank has of its own is divided
    by no question about it, `[name for name in listdir(f"runs/{rank}") if name.endswith(".pt")]`, and what has the
    name of its rank has been divided before."""
    inner = source.facts.get("inner") if isinstance(source, Object) else None
    counted = inner[0] if inner else source
    if cause.kind not in BY_SHARE or is_own(counted):
        return Skipped(cause, False)
    if own:
        return Skipped(cause, True)  # as many as there are in a folder of its own
    mark = remember(machine, "shard", place)
    marks = {mark} | {("ordered", *tag[1:]) for tag in provenance.marks(counted, "order", 1)}
    total = total_of(machine, counted)
    if total == EVEN or (isinstance(total, int) and total % machine.world.size == 0):
        return Skipped(cause, True, frozenset(marks))
    text = "each rank takes its own part here, and the parts are not equally long"
    return Skipped(Cause("shard", Trail(shard_step(mark, text), cause.trail)), False, frozenset(marks))


def is_own(items: Value) -> bool:
    return items.cause is not None and items.cause.kind in BY_SHARE and not shards_of(items)


def kept_by_turn(machine: Machine, number: int) -> Skipped | None:
    """`if number % world != rank: continue`, `if value < limit: rows.append(…)`: what decides by rank or by data, in a
    loop around, here or where this was called from, whether this turn adds to the container with this number, which is
    older than the loop."""
    frames = list(machine.frame.and_callers())
    around = [state for frame in reversed(frames) for state in frame.loops]
    for decision in (one for frame in frames for one in decisions(frame.guards)):
        if not around or number > around[-1].newest:
            return None
        deciding = [leaving.decision for leaving in around[-1].leavings if leaving.word == "continue"]
        if decision.kind == "branch":
            deciding.append(decision)
        subject = around[-1].subject
        for one in deciding:
            if one.cause is not None and one.cause.kind in (*BY_SHARE, "data") and subject is not None:
                own = one.symbol is not None and named_parts.told_by_text([one.symbol])
                return skipped(machine, one.cause, subject, own, (one.path, one.at, one.function))
        if decision.kind == "loop":
            around.pop()
    return None


def counted(value: Value) -> frozenset[Any]:
    """The marks for the number of items of this, where each rank has a part of its own."""
    held = (*provenance.marks(value, "shard", 0), *provenance.marks(value, COUNTED, 0))
    return frozenset((COUNTED, *mark[1:]) for mark in held)


def parts_counted(number: Value) -> list[tuple[Any, ...]]:
    """Where was it cut by rank, if this is the number of items of a part, `len(self.files)`?"""
    return [("shard", *mark[1:]) for mark in counted(number)]


def shards_of(value: Value) -> list[tuple[Any, ...]]:
    """Where the value, or what it holds, was cut by rank; a range that starts at the rank counts too."""
    found = provenance.marks(value, "shard")
    for held in provenance.parts(value):
        if isinstance(held, Object):
            mark = held.facts.get("shard")
            if mark is not None and mark not in found:
                found.append(mark)
            if held.kind == "builtins.range":
                stop = held.attributes.get("stop")
                found += parts_counted(stop) if stop is not None else []
                start = held.attributes.get("start")
                if start is not None and start.cause is not None and start.cause.kind in BY_SHARE:
                    found.append(("shard", held.path, held.at, ""))
    return found


def is_whole_or_none(value: Value) -> bool:
    """`rows if rank == 0 else None`: who has it has all of it."""
    lanes = value.lanes if isinstance(value, Row) else ()
    return NONE in lanes and len({token(lane) for lane in lanes}) == 2


def is_part(value: Value) -> Cause | None:
    """Why this gives each rank something of its own, in whatever way. A switch, `verbose=rank == 0`, gives nothing."""
    for held in provenance.parts(value):
        if held.cause is not None and not is_switch(held) and not is_whole_or_none(held):
            return held.cause
        if isinstance(held, Object):
            found = held.facts.get("sharded by")
            if isinstance(found, Cause):
                return found
    return None
