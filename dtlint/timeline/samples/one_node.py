"""Whose devices are counted where a batch of all ranks is divided: those of one node? (DT209)

`Fabric(devices=devices, num_nodes=nodes)` says what `devices` counts. `global_batch_size // devices` is then the share
of one rank on one node only; on two of them every optimizer step takes twice as many samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dtlint.findings import Step
from dtlint.machine.library.feeding.batches import Share, is_whole_name
from dtlint.machine.library.feeding.loader_options import option
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import evidence
from dtlint.machine.logs import Event, Site
from dtlint.machine.run import Run
from dtlint.machine.values import Object, Symbol, Unknown, Value
from dtlint.timeline.records import recorded
from dtlint.timeline.samples.shares import Mistake, counted, place_in
from dtlint.timeline.starting import STARTUP
from dtlint.timeline.steps.training import place_of, step_at, survey
from dtlint.timeline.steps.windows import windows

DIVISIONS = ("op //", "op /")
ROUNDED = ("builtins.int", "builtins.round", "builtins.max", "builtins.min")


@dataclass(frozen=True, slots=True)
class Told:
    """A trainer is told how many devices a node has, and how many nodes there are."""

    event: Event
    devices: Symbol
    nodes: Symbol


def mistakes(run: Run) -> Iterator[Mistake]:
    for share, steps in divided_by_a_node(run) if evidence.distributed(run, "strong") else ():
        text = (
            f"`{share.text}` is divided by the devices of one node, but as many ranks of every other node take that "
            "much as well"
        )
        yield Mistake(place_in(share), steps, text, f"divide by all devices: `{share.spelled} * num_nodes`")


def told_counts(run: Run) -> Iterator[Told]:
    for event, _ in recorded(run, STARTUP):
        call = event.extra.get("call")
        given = [call.get(name) for name in ("devices", "num_nodes")] if isinstance(call, Invocation) else []
        symbols = [one.symbol for one in given if isinstance(one, Unknown)]
        if len(symbols) == 2:
            yield Told(event, *symbols)


def divided_by_a_node(run: Run) -> Iterator[tuple[Share, tuple[Step, ...]]]:
    """Batches of all ranks that are divided by such a number of devices, and what takes the result."""
    told = list(told_counts(run))
    for share in run.facts.get("shares", ()) if told else ():
        known = next(
            (one for one in told if isinstance(share.right, Unknown) and share.right.symbol is one.devices), None
        )
        if known is None or share.op not in ("/", "//") or not is_whole_name(share.text.rpartition(".")[2]):
            continue
        taken = next((step for value, step in takers(run) if comes_from(value, share.result, known.nodes)), None)
        if taken is not None:
            event = known.event
            yield share, (step_at(site(event), f"`{share.spelled}` is what each of the nodes has"), taken)


def takers(run: Run) -> Iterator[tuple[Value | None, Step]]:
    """Sizes of batches that each rank takes, and how many of these make one step."""
    for window in windows(run):
        for count in counted(window):
            yield count, step_at(site(window.backward.event), "this often before one step of the optimizer")
    for event, _ in (*survey(run).of("hand-over"), *survey(run).of("prepare")):
        loader = event.subject
        if isinstance(loader, Object) and not loader.facts.get("whole batches"):
            yield (
                option(loader, "batch_size"),
                step_at(place_of(loader), "every rank's loader takes batches of this size"),
            )


def site(event: Event) -> Site:
    return (event.path, event.at, event.function)


def comes_from(value: Value | None, share: Value, nodes: Symbol) -> bool:
    """Is it this share, divided by other numbers perhaps, but not by that of the nodes?"""
    found = value.symbol if isinstance(value, Unknown) else None
    while found is not None:
        if isinstance(share, Unknown) and found is share.symbol:
            return True
        what, *parts = found.key
        if what in DIVISIONS and parts[1] is nodes:
            return False
        inner = parts[:1] if what in DIVISIONS else parts if what in ROUNDED else []
        found = next((one for one in inner if isinstance(one, Symbol)), None)
    return False
