"""Does each host cut its own part into batches that are as large as the devices of all hosts together need?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.machine.library.feeding.batches import Share, history
from dtlint.machine.library.feeding.loader_options import option
from dtlint.machine.library.feeding.streams import CUT_BY
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.run import Run
from dtlint.machine.values import BY_RANK, Object, Value
from dtlint.timeline.samples.shares import Mistake, of_all, place_in
from dtlint.timeline.steps.training import place_of, step_at


def mistakes(run: Run) -> Iterator[Mistake]:
    """`batch_size=per_device * jax.device_count()`, of a loader that is told which host this is."""
    if not run.facts.get("jax hosts") or not run.facts.get(jax_facts.ALL_DEVICES):
        return
    loaders: dict[int, Object] = run.facts.get("loaders", {})
    for loader in loaders.values():
        if not has_own_part(loader):
            continue
        chain = list(history(run.facts.get("shares", []), size_of(loader)))
        if len(chain) == 1 and for_all_devices(run, chain[0]):
            text = (
                f"`{chain[0].text}` is multiplied by the devices of all hosts, and then each host takes that much of "
                "its own part"
            )
            given = step_at(place_of(loader), "batches of this size, on every host")
            remedy = "multiply by this host's devices: `jax.local_device_count()`"
            yield Mistake(place_in(chain[0]), (given,), text, remedy)


def for_all_devices(run: Run, share: Share) -> bool:
    counts = run.facts.get(jax_facts.ALL_DEVICES, ())
    return share.op == "*" and any(share.right is count for count in counts) and not of_all(run, share)


def size_of(loader: Object) -> Value | None:
    cut = loader.facts.get(CUT_BY)
    return cut.get("batch_size") if isinstance(cut, Invocation) else option(loader, "batch_size")


def has_own_part(loader: Object) -> bool:
    """Is its sampler told the number of this host?"""
    call = loader.facts.get("call")
    sampler = call.get("sampler") if isinstance(call, Invocation) else None
    made = sampler.facts.get("call") if isinstance(sampler, Object) else None
    if not isinstance(made, Invocation):
        return False
    told = (made.get("shard_options"), made.get("rank"))
    return any(one is not None and one.cause is not None and one.cause.kind in BY_RANK for one in told)
