"""Does a WebDataset pipeline divide its shards between the ranks?

`WebDataset` asks what it is given as `nodesplitter`; its own default refuses to run on several ranks. A `DataPipeline`
does what its stages do. Shards that are drawn anew by every rank need no division.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.feeding import sharding
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import (
    NONE,
    Cause,
    Const,
    External,
    FunctionRef,
    Object,
    Symbol,
    Trail,
    Tuple,
    Unknown,
    Value,
)

SPLITS = ("split-by-rank", "split-by-worker")  # half a split is another rule's question
OWN = "webdataset."
COUNTED = "walked over as told"  # fact of a pipeline: somebody has said how often or how long


def is_one(loader: Object) -> bool:
    """A pipeline, or a loader around one."""
    return isinstance(loader.kind, str) and loader.kind.startswith(OWN)


def dataset_of(loader: Object) -> Object | None:
    """The pipeline under a loader."""
    for _ in range(3):
        if is_one(loader) and "loader" not in str(loader.kind).lower():
            return loader
        held = loader.attributes.get("dataset") or loader.attributes.get("source 0")
        if not isinstance(held, Object):
            return None
        loader = held
    return None


def divides_itself(knowledge: Any, value: Value) -> bool:
    """Is it a pipeline, as a stream of the project hands it on, of which each rank does not read all?"""
    return isinstance(value, Object) and dataset_of(value) is value and reads_all(knowledge, value) is None


def reads_all(knowledge: Any, loader: Object) -> Object | None:
    """The pipeline, where every rank reads all of its shards."""
    dataset = dataset_of(loader)
    call = dataset.facts.get("call") if dataset is not None else None
    if dataset is None or not isinstance(call, Invocation) or any(name is None for name, _ in call.keywords):
        return None
    if sharding.is_part(dataset) is not None or any(splits(knowledge, one) for one in stages(dataset)):
        return None
    extra = call.row.extra
    if extra.get("splits_by"):
        drawn, splitter = call.get(str(extra["draws_by"])), call.get(str(extra["splits_by"]))
        plain = drawn is None or (isinstance(drawn, Const) and not drawn.value)
        return dataset if plain and (splitter in (None, NONE) or hands_through(splitter)) else None
    if extra.get("stages") and call.arguments and lists_shards(knowledge, call.arguments[0]):
        return dataset if all(known(stage) for stage in stages(dataset)) else None
    return None


def hands_through(splitter: Value | None) -> bool:
    """`lambda shards: shards`, `def keep(shards): yield from shards`"""
    node = splitter.node if isinstance(splitter, FunctionRef) else None
    body: Any = node.body if node is not None else None
    if isinstance(node, ir.Function) and len(node.body) == 1:
        only = node.body[0]
        body = only.value if isinstance(only, ir.Return | ir.ExprStmt) else None
        body = body.value if isinstance(body, ir.Yield) and body.is_from else body
    return isinstance(body, ir.Name) and bool(node.params) and body.id == node.params[0].name  # type: ignore[union-attr]


def split_by_rank_alone(knowledge: Any, loader: Object) -> Object | None:
    """A pipeline of shards that divides them between the ranks, and leaves all of a rank's to each of its workers."""
    dataset = dataset_of(loader)
    call = dataset.facts.get("call") if dataset is not None else None
    if dataset is None or not isinstance(call, Invocation) or not call.row.extra.get("stages") or not call.arguments:
        return None
    kinds = [kind for stage in stages(dataset) for kind in splits(knowledge, stage)]
    if kinds and set(kinds) == {SPLITS[0]} and lists_shards(knowledge, call.arguments[0]):
        return dataset if all(known(stage) for stage in stages(dataset)) else None
    return None


def walked_to_the_end(knowledge: Any, loader: Object) -> Object | None:
    """A pipeline that divides its shards between the ranks, each of which comes to the end of its own at a turn of its
    own: nobody says how long an epoch is."""
    dataset = dataset_of(loader)
    call = dataset.facts.get("call") if dataset is not None else None
    if dataset is None or not isinstance(call, Invocation) or any(name is None for name, _ in call.keywords):
        return None
    if loader.facts.get(COUNTED) or dataset.facts.get(COUNTED) or sharding.is_part(dataset) is not None:
        return None
    extra = call.row.extra
    if extra.get("splits_by"):
        drawn, given = call.get(str(extra["draws_by"])), call.get(str(extra["splits_by"]))
        plain = drawn is None or (isinstance(drawn, Const) and not drawn.value)
        return dataset if plain and given is not None and SPLITS[0] in splits(knowledge, given) else None
    if extra.get("stages") and call.arguments and lists_shards(knowledge, call.arguments[0]):
        told = any(ends_as_told(knowledge, stage) or not known(stage) for stage in stages(dataset))
        return None if told or splitter(knowledge, dataset) is None else dataset
    return None


def own_end(machine: Machine, loader: Object) -> tuple[tuple[Any, ...], Cause] | None:
    """Where such a pipeline was made, and why ranks make different numbers of turns."""
    pipeline = walked_to_the_end(machine.knowledge, loader)
    if pipeline is None or pipeline.at is None:
        return None
    step = Step(pipeline.path, pipeline.at[0], "each rank reads shards of its own, and they are not equally long")
    return ("shard", pipeline.path, pipeline.at, machine.frame.scope), Cause("shard", Trail(step))


def ends_as_told(knowledge: Any, stage: Value) -> bool:
    """`webdataset.repeatedly`, as it is or with a number"""
    names = [stage.name] if isinstance(stage, External) else [side.key[0] for side in sides(stage)]
    return any(row is not None and row.extra.get("counted") for row in map(knowledge.apis.get, names))


def counted(machine: Machine, call: Invocation) -> Value | None:
    """`dataset.with_epoch(n)`, `loader.slice(n)`"""
    if isinstance(call.receiver, Object):
        call.receiver.facts[COUNTED] = True
    return call.receiver


def stages(dataset: Object) -> Iterator[Value]:
    call = dataset.facts["call"]
    for value in (*call.values, *dataset.facts.get("stages", ())):
        yield from value.items if isinstance(value, Tuple) else (value,)


def splitter(knowledge: Any, dataset: Object) -> External | None:
    """The stage that divides the shards of this pipeline between the ranks."""
    held = [stage for stage in stages(dataset) if isinstance(stage, External)]
    return next((stage for stage in held if SPLITS[0] in splits(knowledge, stage)), None)


def splits(knowledge: Any, stage: Value) -> list[str]:
    """What a function divides by, or what it made."""
    names = [stage.name] if isinstance(stage, External) else []
    if isinstance(stage, Unknown):
        names = [key for one in provenance.symbols_in(stage.symbol) for key in one.key if isinstance(key, str)]
    rows = (knowledge.apis.get(name) for name in names)
    return [row.record for row in rows if row is not None and row.record in SPLITS]


def lists_shards(knowledge: Any, stage: Value) -> bool:
    return any(row is not None and row.extra.get("all_shards") for row in made_by(knowledge, stage))


def counting(knowledge: Any, loader: Object) -> tuple[str, str] | None:
    """The stage that orders its shards by the epoch, which it counts itself, and what it calls the count."""
    dataset = dataset_of(loader)
    if dataset is None or not isinstance(dataset.facts.get("call"), Invocation):
        return None
    rows = (row for stage in stages(dataset) for row in made_by(knowledge, stage))
    return next(
        ((row.name, str(row.extra["counts"])) for row in rows if row is not None and "counts" in row.extra), None
    )


def made_by(knowledge: Any, stage: Value) -> list[Any]:
    """What is known of the calls that may have given the stage."""
    return [knowledge.apis.get(side.key[0]) for side in sides(stage)]


def sides(stage: Value) -> list[Symbol]:
    """A stage, or those of which a branch has chosen one."""
    if not isinstance(stage, Unknown):
        return []
    key = stage.symbol.key
    return [side for side in key[2:] if isinstance(side, Symbol)] if key[0] == "phi" else [stage.symbol]


def known(stage: Value) -> bool:
    """A stage of the library itself: what the project does in one may be a division."""
    if isinstance(stage, External):
        return stage.name.startswith(OWN)
    if not isinstance(stage, Unknown) or stage.cause is not None:
        return False
    return all(any(isinstance(part, str) and part.startswith(OWN) for part in side.key[:2]) for side in sides(stage))


MODELS: dict[str, Any] = {"counted": counted}
