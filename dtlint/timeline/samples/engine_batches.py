"""Is the batch of all ranks that an engine or a trainer is told as large as what all ranks take?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.findings import Step
from dtlint.machine.lanes import token
from dtlint.machine.library.feeding.batches import Share, history, same_number
from dtlint.machine.library.feeding.loader_options import option
from dtlint.machine.library.feeding.totals import factors
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import evidence
from dtlint.machine.library.training.wrapping import BATCHES
from dtlint.machine.run import Run
from dtlint.machine.values import Object, Unknown, Value
from dtlint.timeline.places.metrics import several_processes
from dtlint.timeline.samples.shares import Mistake, of_all, of_one_node, place_in, steps_for_one
from dtlint.timeline.steps.training import place_of, step_at, survey


def told_mistakes(run: Run) -> Iterator[Mistake]:
    yield from without_the_ranks(run)
    yield from steps_of_trainers(run)


def steps_of_trainers(run: Run) -> Iterator[Mistake]:
    """`TrainingArguments(per_device_train_batch_size=n, gradient_accumulation_steps=total // n)`"""
    if not evidence.distributed(run, "strong"):
        return
    yield from steps_of_loops(run)
    for event, _ in survey(run).of("init"):
        call = event.extra["call"]
        part, steps = (call.get(name) for name in call.row.extra.get("window", ("", "")))
        if part is not None and steps is not None:
            given = step_at((event.path, event.at, event.function), "every rank takes batches of this size")
            shares = run.facts.get("shares", [])
            found = steps_for_one(run, shares, part, steps, given) or steps_for_a_node(run, shares, part, steps, given)
            if found is not None:
                yield found


def steps_for_a_node(run: Run, shares: list[Share], part: Value, steps: Value, given: Step) -> Mistake | None:
    """`gradient_accumulation_steps=total // (n * device_count())`, where the documents start it on several machines."""
    chain = list(history(shares, steps))
    grown = [one for one in history(shares, chain[0].right) if one.by] if len(chain) == 1 and not chain[0].by else []
    if len(grown) != 1 or grown[0].op != "*" or grown[0].by != "local" or not of_all(run, chain[0]):
        return None
    if not (grown[0].left is part or same_number(grown[0].left, part)) or not run.project.started.elsewhere(
        run.entry.path
    ):
        return None
    divides = step_at(place_in(chain[0]), f"`{chain[0].text}` is divided by it")
    return of_one_node(grown[0], divides, given)


def steps_of_loops(run: Run) -> Iterator[Mistake]:
    """`Trainer(devices=8, accumulate_grad_batches=total // n)`, which is handed a loader of batches of n."""
    seen = survey(run)
    for event, _ in seen.collectives if several_processes(run) else ():
        made = event.subject.facts.get("call") if isinstance(event.subject, Object) else None
        steps = made.get("accumulate_grad_batches") if isinstance(made, Invocation) else None
        if event.op != "fit" or steps is None:
            continue
        for handed, _ in seen.of("hand-over"):
            loader = handed.subject
            part = option(loader, "batch_size") if isinstance(loader, Object) else None
            if (handed.path, handed.at) == (event.path, event.at) and isinstance(loader, Object) and part is not None:
                given = step_at(place_of(loader), "every rank's loader takes batches of this size")
                found = steps_for_one(run, run.facts.get("shares", []), part, steps, given)
                if found is not None:
                    yield found


def without_the_ranks(run: Run) -> Iterator[Mistake]:
    """`{"train_batch_size": micro * steps, …}`: computed of the batch of one rank and of the steps, and of no ranks."""
    for place, (whole, part, steps) in run.facts.get(BATCHES, ()):
        if not isinstance(whole, Unknown) or whole.cause is not None:
            continue  # numbers may be written for as many ranks as they fit
        number, parts = factors(token(whole))
        of_part, of_steps = factors(token(part)), factors(token(steps))
        product = (of_part[0] * of_steps[0], sorted([*of_part[1], *of_steps[1]], key=id))
        if (number, sorted(parts, key=id)) == product:
            text = "the batch of all ranks is told as that of one times its steps, which leaves out the number of ranks"
            asked = step_at(place, "the engine asks here whether it is what all ranks take in one step")
            yield Mistake(place, (asked,), text, "multiply by the number of ranks: `dist.get_world_size()`")
