"""The life of data: datasets, samplers, loaders, and what iterating over them gives each rank."""

from __future__ import annotations

from typing import Any

from dtlint.machine import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import NONE, Bound, Cause, Const, External, Object, Row, Trail, Tuple, Unknown, Value

LOADER = "torch.utils.data.DataLoader"
SAMPLER = "torch.utils.data.DistributedSampler"


def constructed(machine: Machine, thing: Object, call: Invocation) -> None:
    """Remember how a library object was made; rules and later calls ask for it."""
    thing.facts["call"] = call
    if thing.kind == LOADER:
        dataset = call.get("dataset") or (call.arguments[0] if call.arguments else NONE)
        sampler = call.get("sampler") or call.get("batch_sampler") or NONE
        thing.attributes["dataset"] = dataset
        thing.attributes["sampler"] = sampler
        thing.facts["sharded by"] = shard_cause(machine, sampler) or shard_cause(machine, dataset)
        thing.facts["uneven"] = uneven_cause(machine, dataset) if sampler == NONE else None
    elif isinstance(thing.kind, str) and thing.kind.rpartition(".")[2] in (
        "DistributedSampler",
        "StatefulDistributedSampler",
    ):
        thing.facts["shards"] = True
    else:
        for value in call.arguments[:1]:
            uneven = uneven_cause(machine, value)
            if uneven is not None:
                thing.facts["uneven"] = uneven


def shard_cause(machine: Machine, value: Value) -> Cause | None:
    """Why this sampler, dataset or loader gives each rank its own part."""
    if isinstance(value, Object):
        found = value.facts.get("sharded by")
        if isinstance(found, Cause):
            return found
        if value.facts.get("shards"):
            path, line = value.path, (value.at or (1,))[0]
            from dtlint.findings import Step

            return Cause("data", Trail(Step(path, line, "each rank gets its own part of the data")))
    if value.cause is not None and value.cause.kind in ("rank", "data", "local rank", "node", "length"):
        return Cause("data", value.cause.trail)
    return None


def uneven_cause(machine: Machine, value: Value) -> Cause | None:
    if isinstance(value, Object):
        found = value.facts.get("uneven")
        if isinstance(found, Cause):
            return found
    return containers.length_cause(machine, value)


def iterated(machine: Machine, value: Value, mask: int) -> Value:
    return value


def element(machine: Machine, value: Object, mask: int) -> Value | None:
    if value.kind == LOADER or value.facts.get("loader"):
        cause = value.facts.get("sharded by")
        if isinstance(cause, Cause):
            cause = cause.then(machine.step("a batch of this rank's data"))
        return machine.unknown("batch", value.number, machine.symbols.fresh("turn"), cause=cause)
    return None


def length(machine: Machine, value: Object, mask: int) -> Value | None:
    uneven = value.facts.get("uneven")
    if isinstance(uneven, Cause):
        return machine.unknown("length", value.number, cause=uneven)
    return None


def method(machine: Machine, receiver: Object, name: str, call: Invocation) -> Value | None:
    return None


def unknown_method(machine: Machine, receiver: Value, name: str, call: Invocation) -> Value | None:
    return None


def attribute(machine: Machine, thing: Object, name: str, mask: int) -> Value | None:
    return None


def read_item(machine: Machine, base: Value, index: Value, mask: int) -> Value | None:
    return None


def called(machine: Machine, thing: Object, call: Invocation) -> Value | None:
    return None


def made_instance(
    machine: Machine, thing: Object, bases: list[str], arguments: tuple[Value, ...], keywords: Any, mask: int
) -> None:
    """Project datasets that were given a rank-local list have a rank-local length."""
    for value in arguments[:2]:
        uneven = uneven_cause(machine, value)
        if uneven is not None and any("Dataset" in base for base in bases):
            thing.facts["uneven"] = uneven
            thing.facts["sharded by"] = Cause("data", uneven.trail)


MODELS: dict[str, Any] = {}
__all__ = ["MODELS", "Bound", "Const", "External", "Row", "Tuple", "Unknown", "token"]
