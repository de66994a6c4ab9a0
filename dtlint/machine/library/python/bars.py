"""What do progress bars say, and does one show anything? A bar stands for what it is put around."""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import BY_RANK, FALSE, NONE, Object, Row, Value

BAR = "progress_bar"
BARS = "bars"  # fact of the run: what was put around the thing of this number
SAYS_ITS_RANK = "says its rank"  # extra of such a bar


def progress(machine: Machine, call: Invocation) -> Value | None:
    """`tqdm(loader, …)` iterates over what it wraps."""
    given = call.get("iterable") or (call.arguments[0] if call.arguments else None)
    if isinstance(given, Object):
        machine.facts.setdefault(BARS, {})[given.number] = call
    return given


def told(machine: Machine, receiver: Object, values: tuple[Value, ...]) -> None:
    """`bar.set_description(f"rank {rank}")`"""
    bar = machine.facts.get(BARS, {}).get(receiver.number)
    if bar is not None and any(isinstance(value, Row) and value.cause.kind in BY_RANK for value in values):
        bar.extra[SAYS_ITS_RANK] = True


def option(machine: Machine, receiver: Object, name: str) -> Value | None:
    """`bar.disable`, as the bar was told when it was put around the thing."""
    bar: Invocation | None = machine.facts.get(BARS, {}).get(receiver.number)
    if bar is None or name not in bar.row.extra.get("disables_by", ()):
        return None
    given = bar.get(name)
    if given is None:
        return None if any(keyword is None for keyword, _ in bar.keywords) else FALSE
    return None if given == NONE else given  # off where nobody looks at a terminal
