"""Which batch norms see the few samples of one rank only?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.logs import Event
from dtlint.machine.values import Const, Object
from dtlint.timeline.steps.model_parts import has
from dtlint.timeline.steps.models_used import wraps
from dtlint.timeline.steps.stepping import events
from dtlint.timeline.steps.waiting import off

SMALL = 8


def unsynchronised_norms(run: Any) -> Iterator[tuple[Event | None, Object | None, int]]:
    """Models with BatchNorm on small batches of one rank: the wrap, or the trainer that wraps."""
    size = batch_size(run)
    if size is None or size > SMALL:
        return
    converted = events(run, "record", "sync-batch-norm")
    for met, _, inner in wraps(run):
        if has(run, inner, "batch_norm") and not converted:
            yield met.event, None, size
    for met in events(run, "collective", "fit"):
        call = met.event.extra.get("call")
        trainer = met.event.subject if isinstance(met.event.subject, Object) else None
        made = trainer.facts.get("call") if trainer is not None else None
        module = next((value for value in call.values if isinstance(value, Object)), None) if call is not None else None
        if made is None or module is None or converted or any(name is None for name, _ in made.keywords):
            continue
        strategy, sync = made.get("strategy"), made.get("sync_batchnorm")
        parallel = isinstance(strategy, Const) and "ddp" in str(strategy.value)
        if parallel and off(sync) and has(run, module, "batch_norm"):
            yield None, trainer, size


def batch_size(run: Any) -> int | None:
    sizes = []
    for met in events(run, "record", "loader"):
        given = met.event.extra["call"].get("batch_size")
        sizes.append(
            given.value if isinstance(given, Const) and isinstance(given.value, int) and not given.scale else None
        )
    known = [size for size in sizes if size is not None]
    return min(known) if known and len(known) == len(sizes) else None
