"""Is there a sampler whose order stays, whatever epoch it is told?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.ir.functions import called_name, every_node
from dtlint.machine.library.drawing.draws import PERMUTES
from dtlint.machine.names import classes
from dtlint.machine.run import Run
from dtlint.machine.starts.run_before import CONSTRUCTORS
from dtlint.machine.values import FunctionRef, Object
from dtlint.timeline.records import recorded
from dtlint.timeline.samples.epochs_kept import keeps_only, method_of, methods_of, walked_over
from dtlint.timeline.samples.sampling import below
from dtlint.timeline.steps.training import survey

FED_BY = ("batch_sampler", "sampler", "dataset")
SHUFFLES = PERMUTES | {"randperm"}


def kept_for_nothing(run: Run) -> Iterator[tuple[FunctionRef, tuple[Step, ...]]]:
    """The `set_epoch` that keeps what nobody asks for, though each walk shuffles anew, from one and the same seed."""
    told = {one.subject.number: one for one, _ in recorded(run, "own-set-epoch") if isinstance(one.subject, Object)}
    done: set[int] = set()
    for use in survey(run).training():
        fed = [use.loader.attributes.get(name) for name in FED_BY]
        for thing in (*fed, use.described.sampler) if use.epoch_loop is not None else ():
            if not isinstance(thing, Object) or thing.number not in told or thing.number in done:
                continue
            done.add(thing.number)
            event = told[thing.number]
            method, shuffle = method_of(thing), shuffled_alike(run, thing)
            if method is not None and shuffle is not None and walked_over(thing) is None and keeps_only(thing, method):
                yield (
                    method,
                    (
                        Step.of(event, "told of the epoch here"),
                        Step(*shuffle, "shuffled as in every other epoch"),
                    ),
                )


def shuffled_alike(run: Run, thing: Object) -> tuple[str, int] | None:
    """Where its walk shuffles, after a seed that is made of nothing that ever changes."""
    walk = classes.in_class(None, thing.kind, "__iter__")  # type: ignore[arg-type]
    if not isinstance(walk, FunctionRef) or not isinstance(walk.node, ir.Function):
        return None
    walking = below(thing.kind, walk.node)  # type: ignore[arg-type]
    held = changing(thing)
    if any("super" in one.tokens or not held.isdisjoint(one.tokens) for one in walking):
        return None
    calls = [node for one in walking for node in every_node(one.body) if isinstance(node, ir.Call)]
    seeded = any(called_name(call) in run.knowledge.seeding and (call.args or call.keywords) for call in calls)
    shuffles = [call for call in calls if called_name(call) in SHUFFLES and call.at is not None]
    return (walk.path, shuffles[0].at[0]) if seeded and shuffles else None


def changing(thing: Object) -> set[str]:
    """What it holds that is given another value later than in its constructor."""
    later = (one.node for one in methods_of(thing) if one.node.name not in CONSTRUCTORS)
    return {name for node in later if isinstance(node, ir.Function) for name in given_a_value(node)}


def given_a_value(function: ir.Function) -> Iterator[str]:
    for node in every_node(function.body):
        if isinstance(node, ir.Assign | ir.AugAssign):
            targets = node.targets if isinstance(node, ir.Assign) else (node.target,)
            yield from (target.name for target in targets if isinstance(target, ir.Attr))
