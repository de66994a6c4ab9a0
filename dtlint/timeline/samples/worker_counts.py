"""Which data set counts its epochs in workers that are started anew in every epoch?

`self.epoch += 1` in `__iter__` happens in the worker's copy. Unless the workers are persistent, the next epoch's
workers copy the data set of the main process again, where nothing was counted: the same seed, the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.library.feeding import webdatasets
from dtlint.machine.library.feeding.inside import Inside
from dtlint.machine.library.feeding.loader_options import is_open, option
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Site
from dtlint.machine.names import classes
from dtlint.machine.run import Run
from dtlint.machine.values import NONE, Const, FunctionRef, Object, Value
from dtlint.timeline.samples.noise import workers_of
from dtlint.timeline.steps.training import Use, place_of, survey


@dataclass(frozen=True, slots=True)
class LostCount:
    place: Site  # of the loader
    name: str
    step: Step | None  # where it is counted, unless a library does it


def lost_counts(run: Run) -> Iterator[LostCount]:
    seen = survey(run)
    for use in seen.training():
        loader, loop = use.loader, use.epoch_loop
        if loop is None or not starts_anew(run, use):
            continue
        if any(event.subject is loader and any(node is loop for node in path) for event, path in seen.of("loader")):
            continue
        stage = webdatasets.counting(run.knowledge, loader)
        if stage is not None:
            yield LostCount(place_of(loader), f"{stage[0]}.{stage[1]}", None)
            continue
        for look in use.described.looks:
            found = None if look.cut else counted_for_seeds(loader.attributes.get("dataset"), look)
            if found is not None:
                counted, path, name = found
                step = Step(path, (counted.at or (1,))[0], f"the worker counts `{name}` in its own copy")
                yield LostCount(place_of(loader), name, step)
                break


def starts_anew(run: Run, use: Use) -> bool:
    """Has the loader workers, which end with every epoch?"""
    loader = use.loader
    if is_open(loader) or not workers_of(run, loader, use.described):
        return False
    stays = option(loader, "persistent_workers")
    return stays is None or stays == NONE or (isinstance(stays, Const) and not stays.value)


def counted_for_seeds(dataset: Value | None, look: Inside) -> tuple[ir.AugAssign, str, str] | None:
    """The counter of `__iter__` that a generator is seeded with."""
    if not isinstance(dataset, Object) or isinstance(dataset.kind, str):
        return None
    method = classes.in_class(None, dataset.kind, "__iter__")  # type: ignore[arg-type]
    if not isinstance(method, FunctionRef) or not isinstance(method.node, ir.Function) or not method.node.params:
        return None
    owner = method.node.params[0].name
    seeded = [
        call.node
        for event in look.events("seed")
        if event.path == method.path and isinstance(call := event.extra.get("call"), Invocation) and call.node
    ]
    for statement in once(method.node.body):
        target = statement.target
        if isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id == owner:
            made_of_it = depending(method.node, owner, target.name)
            if any(reads(argument, owner, target.name, made_of_it) for call in seeded for argument in given(call)):
                return statement, method.path, target.name
    return None


def once(body: tuple[Any, ...]) -> Iterator[ir.AugAssign]:
    """Statements that add to something, in no loop: once in each epoch."""
    for statement in body:
        if isinstance(statement, ir.AugAssign):
            yield statement
        elif isinstance(statement, ir.If | ir.With | ir.Try):
            yield from once((*statement.body, *getattr(statement, "orelse", ())))


def depending(function: ir.Function, owner: str, name: str) -> set[str]:
    """The names that are assigned from the counter, directly or by way of others."""
    found: set[str] = set()
    assignments = [node for node in every_node(function) if isinstance(node, ir.Assign)]
    for _ in range(4):
        for node in assignments:
            if reads(node.value, owner, name, found):
                found |= {target.id for target in node.targets if isinstance(target, ir.Name)}
    return found


def given(call: ir.Call) -> Iterator[ir.Node]:
    yield from call.args
    for _, value in call.keywords:
        yield value


def reads(below: ir.Node, owner: str, name: str, others: set[str]) -> bool:
    for node in every_node(below):
        if isinstance(node, ir.Name) and node.id in others:
            return True
        if isinstance(node, ir.Attr) and node.name == name and isinstance(node.value, ir.Name):
            if node.value.id == owner:
                return True
    return False
