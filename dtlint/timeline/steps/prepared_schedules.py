"""Does a schedule that is prepared, and so steps once for each process, count the batches of all of them?"""

from __future__ import annotations

from functools import partial
from typing import Any

from dtlint.machine.lanes import token
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.values import Const, Object, Symbol, Unknown, Value
from dtlint.timeline.steps.schedule_counts import (
    Schedule,
    WrongLength,
    any_world,
    counts_windows,
    factors,
    is_world,
    lengths,
    longest,
    multiplies_only,
    quotient,
)

WINDOW = "gradient_accumulation_steps"
OTHERWISE = ("gradient_accumulation_plugin", "step_scheduler_with_optimizer")


def prepared_wrongly(
    schedule: Schedule, by: Any, loader: Any, waits: bool, batches: frozenset[Any]
) -> WrongLength | None:
    """`waits`: does the program leave it to the framework to step in the last micro-batch of a window? `batches`: how
    large the batches of its loaders are."""
    made = by.receiver.facts.get("call") if isinstance(by.receiver, Object) else None
    if made is None or any(made.get(name) is not None for name in OTHERWISE):
        return None
    window = made.get(WINDOW)
    found = times_the_window(schedule, window, waits)
    if found is None and isinstance(loader, Object) and loader.facts.get("whole batches") is False:
        found = after_sharding(schedule, window, loader) or processes_again(schedule, loader)
    return found or (window_forgotten(schedule, window, loader, batches) if waits else None)


def after_sharding(schedule: Schedule, window: Value | None, loader: Object) -> WrongLength | None:
    counts_turns = multiplies_only if window in (None, Const(1)) else partial(counts_windows, of=token(window))
    if schedule.parallel or schedule.lengths != {loader.number} or not counts_turns(schedule.symbol):
        return None
    return WrongLength(
        schedule.made,
        "the schedule counts this rank's batches, but once prepared it steps for each of the processes and ends early",
        "count the batches before `prepare()`, or multiply them by the number of processes",
        "the length of the loader that `prepare()` gave back",
    )


def processes_again(schedule: Schedule, loader: Object) -> WrongLength | None:
    """`len(loader) * processes`, or `/ processes`, of the loader that is not divided yet: all its batches are counted
    once where the schedule steps for each of the processes."""
    original = loader.facts.get("original")
    if not schedule.parallel or not isinstance(original, Object) or schedule.lengths != {original.number}:
        return None
    parts = list(quotient(longest(schedule.symbol)))
    inner = [(part, power) for part, power in parts if isinstance(part, Symbol)]
    counted = [power for part, power in inner if any(lengths(part))]
    if counted != [1] or any(any_world(part) or (any(lengths(part)) and not is_length(part)) for part, _ in inner):
        return None
    power = sum(power for part, power in parts if is_world(part))
    if power == 0:
        return None
    end, done = ("it never ends", "multiplied") if power > 0 else ("it ends early", "divided")
    return WrongLength(
        schedule.made,
        "the batches of all processes are counted, and once prepared the schedule steps for each of them:"
        f" {done} by their number {end}",
        "leave the number of processes out",
        f"{done} by the number of processes",
    )


def is_length(part: Symbol) -> bool:
    return part.key[0] in ("length", "len")


def times_the_window(schedule: Schedule, window: Value | None, waits: bool) -> WrongLength | None:
    """`updates * accumulate * processes`, or steps of the settings times `accumulate`: a prepared schedule steps where
    the optimizer does, once for each process."""
    if window in (None, Const(1)):
        return None
    for symbol in dict.fromkeys((schedule.symbol, *schedule.products)):
        found = factors(longest(symbol))
        counted = [part for part in found if isinstance(part, Symbol) and any(lengths(part))]
        if token(window) not in found or not all(counts_windows(part, token(window)) for part in counted):
            continue
        of_all = any(map(is_world, found))
        if of_all or (waits and isinstance(window, Unknown) and not counted):
            return WrongLength(
                schedule.made,
                "the schedule is made for micro-batches, but once prepared it steps once per step of the optimizer and"
                " process: " + ("it never comes to its end" if of_all else "it ends too early or too late"),
                "leave the number of micro-batches out"
                if of_all
                else "multiply the number of steps by that of the processes, not by that of the micro-batches",
                "multiplied by the number of micro-batches",
            )
    return None


def window_forgotten(
    schedule: Schedule, window: Value | None, loader: Any, batches: frozenset[Any]
) -> WrongLength | None:
    """`epochs * (len(data) // (batch * processes))`: nothing is divided by the window, by whatever name. Where as many
    processes share the loader as there are micro-batches in a window, its own length is right."""
    if window in (None, Const(1)) or not schedule.lengths:
        return None
    if not schedule.parallel and isinstance(loader, Object) and schedule.lengths == {loader.number}:
        return None
    if any(token(window) in (one, *one.key) or WINDOW in one.key for one in symbols_in(schedule.symbol)):
        return None
    parts = [found for side in counted_sides(longest(schedule.symbol)) for found in quotient(side)]
    counted = [power for part, power in parts if isinstance(part, Symbol) and any(lengths(part))]
    divisors = [as_given(part) for part, power in parts if power < 0 and not is_world(part)]
    if counted != [1] or not {as_given(one) for one in batches}.issuperset(divisors):
        return None
    return WrongLength(
        schedule.made,
        "the schedule is as long as there are micro-batches, but once prepared it steps once per window only",
        f"divide the length by `{WINDOW}`",
        "counts micro-batches",
    )


def as_given(part: Any) -> Any:
    """`int(options.batch_size)` is the option."""
    while isinstance(part, Symbol) and part.key[0] == "builtins.int":
        part = part.key[1]
    return part


def counted_sides(symbol: Symbol) -> list[Symbol]:
    """`steps = epochs * len(loader) if options.steps is None else options.steps`, times what else there is: of the
    sides of a branch, those that count."""
    kind, *sides = symbol.key
    inner = [part for part in sides[1 if kind == "phi" else 0 :] if isinstance(part, Symbol) and any(lengths(part))]
    if kind == "phi" or (kind == "op *" and any(map(is_world, factors(symbol)))):
        return [found for part in inner for found in counted_sides(part)]
    return [symbol]
