"""Does evaluation count every sample once, and does a resumed run go on where it stopped?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.findings import Step
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.feeding import samplers
from dtlint.machine.library.feeding.loader_options import LOADER, is_true, number_of, option
from dtlint.machine.library.meeting import evidence
from dtlint.machine.logs import Call, Choice, Event, Loop, Site
from dtlint.machine.run import Run
from dtlint.machine.values import Const, Object, Symbol, Unknown, Value
from dtlint.machine.walks import walk
from dtlint.timeline.steps.training import REDUCES, Path, Use, is_gradient, place_of, step_at, survey

Steps = tuple[Step, ...]


# --- DT212 -----------------------------------------------------------------------------------------------------


def evaluated(run: Run) -> Iterator[Object]:
    """Loaders that are walked over with gradients off and never otherwise."""
    for _, loader in sorted(run.facts.get("loaders", {}).items()):
        if loader.facts.get("walked") == {"evaluation"} and loader.kind == LOADER:
            yield loader


def lost_samples(run: Run) -> Iterator[tuple[Site, Steps]]:
    if not evidence.distributed(run):
        return
    for loader in evaluated(run):
        if is_true(option(loader, "drop_last")):
            yield place_of(loader), ()


def counted_twice(run: Run) -> Iterator[tuple[Site, Steps, str]]:
    seen = survey(run)
    sums = (event for event, _ in seen.collectives if event.op in REDUCES)
    reduced = next((event for event in sums if not is_gradient(event.extra.get("tensor"))), None)
    for loader in evaluated(run):
        known = loader.facts.get("described")
        sampler = known.sampler if known is not None else None
        if reduced is None or not isinstance(sampler, Object) or not samplers.is_distributed(run_machine(run), sampler):
            continue
        call = sampler.facts.get("call")
        if known is None or call is None or is_true(call.get("drop_last")) or fits(run, known.total):
            continue
        padded = step_at(place_of(sampler), "the sampler pads to equal parts")
        counted = Step.of(reduced, "the padded samples are counted here")
        yield place_of(loader), (padded, counted), "sampler"
    for event, path in seen.collectives:
        call = event.extra.get("call")
        if call is None or not call.row.extra.get("keeps_padding"):
            continue
        for node in path:
            walked = loader_in(node)
            if walked is not None and walked.facts.get("prepared") and walked.facts.get("walked") == {"evaluation"}:
                place = (event.path, event.at, event.function)
                yield place, (step_at(place_of(walked), "the prepared loader fills up its last batch"),), "gather"
                break


def run_machine(run: Run) -> Any:
    """What samplers asks of a machine is its knowledge."""
    return run


def fits(run: Run, total: Value | None) -> bool:
    number = number_of(total)
    return number is not None and number % run.world.size == 0 and number % 8 == 0


def loader_in(node: Any) -> Object | None:
    from dtlint.timeline.steps.training import loader_of

    return loader_of(node.subject) if isinstance(node, Loop) else None


# --- DT211 -----------------------------------------------------------------------------------------------------


def skipped_twice(run: Run) -> Iterator[tuple[Site, Steps]]:
    seen = survey(run)
    for event, _ in seen.of("skip"):
        call = event.extra["call"]
        loader, count = call.get("dataloader"), call.get("num_batches")
        if not isinstance(loader, Object) or count is None:
            continue
        for use in seen.uses:
            if use.loader is not loader or use.loop is None:
                continue
            for node, _ in walk(use.loop.body):
                if isinstance(node, Choice) and node.exits[0] == "continue" and compares(node, count):
                    place = (node.decision.path, node.decision.at, node.decision.function)
                    yield place, (Step.of(event, "the batches are skipped here already"),)


def compares(node: Choice, count: Value) -> bool:
    return node.symbol is not None and any(asks(one, count) for one in all_of(node.symbol))


def all_of(symbol: Symbol) -> Iterator[Symbol]:
    """`resumed and epoch == first and index < done`: each of these has to hold."""
    if symbol.key[0] == "and":
        for part in symbol.key[1:]:
            yield from all_of(part) if isinstance(part, Symbol) else ()
    else:
        yield symbol


def asks(question: Symbol, count: Value) -> bool:
    if not str(question.key[0]).startswith("compare"):
        return False
    if isinstance(count, Const):
        return any(provenance.number_in(part) == count.value for part in question.key[1:])
    return isinstance(count, Unknown) and count.symbol in question.key[1:]


def state_left_out(run: Run) -> Iterator[tuple[Site, Steps]]:
    """A loader that can tell where it is, in a program that saves and loads everything else."""
    seen = survey(run)
    saved = next((event for event, _ in seen.of("file-write")), None)
    if saved is None:
        return
    for use in seen.training():
        call = use.loader.facts.get("call")
        if call is None or not call.name.endswith("StatefulDataLoader") or use.loader.facts.get("state kept"):
            continue
        for event, path in seen.of("load-state"):
            place = called_from(path, place_of(use.loader)[2]) or (event.path, event.at, event.function)
            loader = step_at(place_of(use.loader), "this loader could be resumed")
            yield place, (loader, Step.of(saved, "the checkpoint is written without it"))
            break


def called_from(path: Path, scope: str) -> Site | None:
    for node in path:
        if isinstance(node, Call) and node.caller == scope:
            return (node.path, node.at, node.caller)
    return None


def begun_anew(run: Run) -> Iterator[tuple[Site, Steps]]:
    """A checkpoint in the middle of an epoch, and a resumed epoch that begins with its first batch."""
    seen = survey(run)
    loaded = next((event for event, _ in seen.of("load-state")), None)
    if loaded is None or seen.of("skip"):
        return
    for use in seen.training():
        if use.loop is None or use.loader.facts.get("state kept") or skips(use):
            continue
        for event, path in seen.of("file-write"):
            if use.loop in path and keeps_position(event):
                decision = use.loop.decision
                place = (decision.path, decision.at, decision.function)
                saved = Step.of(event, "the checkpoint knows how many batches were done")
                yield place, (saved, Step.of(loaded, "and is loaded here"))
                break


def skips(use: Use) -> bool:
    assert use.loop is not None
    return any(isinstance(node, Choice) and "continue" in node.exits for node, _ in walk(use.loop.body))


def keeps_position(event: Event) -> bool:
    """Is a value made of the number of the batch in what is written?"""
    call = event.extra.get("call")
    return call is not None and any(
        provenance.mentions(value, lambda symbol: symbol.key[0] == "index", 3) for value in call.values
    )
