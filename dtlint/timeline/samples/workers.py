"""Which loaders have workers, how many, and are they as many as the cores in every rank?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.evidence import distributed
from dtlint.machine.library.training.stepping import attribute_of
from dtlint.machine.logs import Event
from dtlint.machine.values import Const, Object, Symbol, Unknown, Value
from dtlint.timeline.options import default_of, option_of
from dtlint.timeline.order import Met
from dtlint.timeline.steps.stepping import events

LOADER = "torch.utils.data.DataLoader"


def loaders(run: Any) -> Iterator[tuple[Met, Any]]:
    """Loaders of torch, with the call that made them; those with options nobody knows are left out."""
    for met in events(run, "record", "loader"):
        call = met.event.extra["call"]
        if run.knowledge.canonical(call.row.type or call.row.name) == LOADER:
            if not any(name is None for name, _ in call.keywords):
                yield met, call


@dataclass(frozen=True, slots=True)
class ToldATrainer:
    """What tells a trainer how to make its loaders, asked as if it were the call that makes one."""

    call: Invocation
    prefix: str

    def get(self, param: str) -> Value | None:
        return self.call.get(self.prefix + param)

    def expression(self, param: str) -> ir.Expr | None:
        return self.call.expression(self.prefix + param)


def with_workers(run: Any) -> Iterator[tuple[Met, Any]]:
    """Also what tells a trainer how it is to make its loaders."""
    yield from loaders(run)
    for met in events(run, "record", "init"):
        call = met.event.extra.get("call")
        if not isinstance(call, Invocation):
            continue
        prefix = call.row.extra.get("loader_options")
        if prefix and not any(name is None for name, _ in call.keywords):
            yield met, ToldATrainer(call, prefix)


def number_of_workers(call: Any) -> int | None:
    given = call.get("num_workers")
    if given is None:
        return 0
    known = isinstance(given, Const) and isinstance(given.value, int) and not given.scale
    return given.value if known else None


NEED_WORKERS: dict[str, Callable[[Any], bool]] = {
    "persistent_workers": lambda value: value is True,
    "prefetch_factor": lambda value: value is not None,
    "multiprocessing_context": lambda value: isinstance(value, str),
    "timeout": lambda value: isinstance(value, int | float) and value > 0,
}
# Until then it was what a loader without workers has, too.
REFUSED_SINCE: dict[tuple[str, object], str] = {("prefetch_factor", 2): "torch 2.0"}


def all_cores(run: Any) -> Iterator[tuple[Event, tuple[Step, ...]]]:
    """Loaders that start as many workers as the node has cores, in each of its ranks."""
    if not distributed(run):
        return
    for met, call in with_workers(run):
        given = call.get("num_workers")
        if not isinstance(given, Unknown):
            continue
        if counts_cores(run, given):
            yield met.event, (Step.of(met.event, "one worker per core of the node, in every rank"),)
            continue
        option = option_of(run, attribute_of(given.symbol))
        if option is not None and counts_cores(run, default_of(option)):
            yield (
                option,
                (
                    Step.of(option, "the default is the number of cores of the node"),
                    Step.of(met.event, "every rank starts as many workers"),
                ),
            )


def counts_cores(run: Any, value: Value | None) -> bool:
    """The number of cores as it is, not divided, not bounded."""
    if not isinstance(value, Unknown):
        return False
    symbol = value.symbol
    if symbol.key[0] == "phi" and symbol.key[1] in symbol.key[2:] and isinstance(symbol.key[1], Symbol):
        symbol = symbol.key[1]  # `os.cpu_count() or 1`
    if symbol.key[0] == "len" and len(symbol.key) == 2 and hasattr(symbol.key[1], "key"):
        symbol = symbol.key[1]
    name = symbol.key[1] if symbol.key[0] in ("same", "source") and len(symbol.key) > 1 else symbol.key[0]
    row = run.knowledge.apis.get(name) if isinstance(name, str) else None
    return row is not None and bool(row.extra.get("cores"))


def loaded_by(subject: Any) -> Any:
    """The call that made the loader a loop walks over."""
    for _ in range(4):
        if not isinstance(subject, Object):
            return None
        inner = subject.facts.get("inner")
        if not inner:
            break
        subject = inner[0]
    return subject.facts.get("call") if isinstance(subject, Object) else None
