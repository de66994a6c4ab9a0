"""Who wraps a model so that its calls communicate, and what do the wrappers hand back?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.feeding import loaders, sharding
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import group_start
from dtlint.machine.library.meeting.groups import group_in, of_all
from dtlint.machine.library.training import gradient_parts, stepping
from dtlint.machine.library.training.modules import HAS_MODELS, is_module
from dtlint.machine.logs import Group
from dtlint.machine.names import classes
from dtlint.machine.values import FALSE, NONE, ClassRef, Const, Object, Row, Tuple, Unknown, Value

DDP = "torch.nn.parallel.DistributedDataParallel"
FSDP = "torch.distributed.fsdp.FullyShardedDataParallel"
WRAP = "wrap"  # the operation of those who make a wrapper
LOADER = "torch.utils.data.DataLoader"
PREPARED = "<prepared>"
WRAPPED_BY = "wrapped by"  # the call
KEEPS_PARTS = "keeps parts of tensors"  # of a Fabric, Trainer or Accelerator: it shards by the first kind of FSDP
ALONE = "alone"  # of a Fabric or Trainer: told to use one device
LEFT = "left as they are"  # fact of the run: models that were to be wrapped, where there is one device
ONE = (Const(1), Const("1"))


def note_wrap(machine: Machine, call: Invocation, inner: Value, kind: str, group: Group | None) -> None:
    machine.emit_event(
        "collective",
        WRAP,
        call.name,
        call.mask,
        group=group,
        implicit=True,
        subject=inner,
        extra={"wrap": kind, "call": call},
    )


def wrapped(
    machine: Machine, call: Invocation, inner: Value, kind: str, sharded: bool, group: Group | None = None
) -> Object:
    """An object whose call is the wrapped model's forward."""
    return around(machine, machine.new(kind, call.mask), call, inner, sharded, group)


def around(
    machine: Machine, made: Object, call: Invocation, inner: Value, sharded: bool, group: Group | None = None
) -> Object:
    made.attributes["module"] = inner
    made.facts.update(wrapped=True, sharded=sharded, group=group or of_all(machine), call=call)
    for held in inner.lanes if isinstance(inner, Row) else (inner,):
        if isinstance(held, Object):
            machine.noted.put(held.facts, "wrapper", made)
            machine.facts["watched"] = True
            for part in provenance.parts(held):
                if isinstance(part, Object) and part is not held and is_module(machine, part):
                    machine.noted.put(part.facts, stepping.WITHIN, made)
        elif isinstance(held, Unknown) and held.cause is None:
            machine.noted.put(machine.facts.setdefault(stepping.WRAPPED_SYMBOLS, {}), held.symbol, made)
    if sharded:
        machine.facts["sharded"] = True
        gradient_parts.divide(machine, made, gradient_parts.PART)
    return made


def derived(machine: Machine, thing: Object, call: Invocation) -> None:
    """`class Passing(DistributedDataParallel)`: its instance is a wrapper, unless the project says what its forward
    does."""
    if not isinstance(thing.kind, ClassRef) or classes.in_class(machine, thing.kind, "forward") is not None:
        return
    inner = call.get("module") or (call.arguments[0] if call.arguments else NONE)
    group = group_in(machine, call.get("process_group"))
    note_wrap(machine, call, inner, call.row.type or DDP, group)
    around(machine, thing, call, inner, call.row.type == FSDP, group)
    thing.facts["group"] = group
    thing.facts[WRAPPED_BY] = call


def wrap(machine: Machine, call: Invocation, kind: str, sharded: bool) -> Value:
    inner = call.get("module") or (call.arguments[0] if call.arguments else NONE)
    given = call.get("process_group")
    group = group_in(machine, given)
    note_wrap(machine, call, inner, kind, group)
    if isinstance(inner, Object) and inner.facts.get("wrapped"):
        return inner
    made = wrapped(machine, call, inner, kind, sharded, group)
    made.facts["group"] = group  # None: a communicator nobody knows
    made.facts[WRAPPED_BY] = call
    return made


def wrap_ddp(machine: Machine, call: Invocation) -> Value:
    """There has to be a group: whoever has begun it, it is the program of several ranks that comes here."""
    group_start.started(machine, call.mask)
    return wrap(machine, call, DDP, False)


def wrap_fsdp(machine: Machine, call: Invocation) -> Value:
    return wrap(machine, call, FSDP, True)


IN_ONE_PROCESS = "wrap-in-process"


def wrap_dp(machine: Machine, call: Invocation) -> Value:
    """The model itself: this divides batches between the devices of one process, and reduces nothing beyond them."""
    model = call.get("module") or NONE
    machine.emit_event("record", IN_ONE_PROCESS, call.name, call.mask, subject=model, extra={"call": call})
    return model


def unwrap(machine: Machine, call: Invocation) -> Value:
    """`model.module`, `accelerator.unwrap_model(model)`"""
    outer = call.arguments[0] if call.arguments else call.receiver
    if isinstance(outer, Object) and outer.facts.get("wrapped"):
        return outer.attributes.get("module", outer)
    return outer if outer is not None else NONE


def in_place(machine: Machine, call: Invocation) -> Value:
    """`fully_shard(module)`, `parallelize_module(module, mesh, plan)`: the module itself communicates from now on."""
    machine.facts["sharded"] = True
    return composed(machine, call, "fully_shard", True)


def replicated(machine: Machine, call: Invocation) -> Value:
    """`replicate(module)`: what DDP does, by hooks of the module itself."""
    return composed(machine, call, DDP, False)


def composed(machine: Machine, call: Invocation, kind: str, sharded: bool) -> Value:
    model = call.get("module") or (call.arguments[0] if call.arguments else NONE)
    mesh = call.get("mesh") or call.get("device_mesh")
    group = group_in(machine, mesh) if mesh is not None else machine.world_group
    note_wrap(machine, call, model, kind, group)
    if isinstance(model, Object):
        model.facts.update({"wrapped": True, "sharded": sharded, "group": group, WRAPPED_BY: call})
        model.facts.setdefault("call", call)
        if sharded:
            gradient_parts.divide(machine, model, gradient_parts.DIVIDED)
    return model


# --- frameworks that prepare several things at once --------------------------------------------------------------


def owner_shards(call: Invocation) -> bool:
    return isinstance(call.receiver, Object) and bool(call.receiver.facts.get("sharded"))


def prepare_one(machine: Machine, call: Invocation, value: Value) -> Value:
    if isinstance(value, Object):
        value = loaders.inside_of(value)
        if value.facts.get("wrapped"):
            return value
        if loaders.is_loader(value):
            return loaders.prepared(machine, value, call.name, call.mask, call.receiver)
        if is_module(machine, value):
            sharded = owner_shards(call)
            return wrapped(machine, call, value, FSDP if sharded else DDP, sharded)
        return value
    if unknown(value):
        # a model, an optimizer, a schedule of a library: of these only a model is ever called
        return wrapped(machine, call, value, PREPARED, owner_shards(call))
    return value


def unknown(value: Value) -> bool:
    return isinstance(value, Unknown) and value.cause is None and value.like is None


def accelerate_prepare(machine: Machine, call: Invocation) -> Value:
    given = [value for value in call.arguments if not (isinstance(value, Object) and value.kind == "<spread>")]
    models = [value for value in given if is_module(machine, value)]
    unseen = len(given) != len(call.arguments) or any(unknown(value) for value in given)
    if isinstance(call.receiver, Object) and (models or unseen):
        call.receiver.facts[HAS_MODELS] = True
    if len(given) != len(call.arguments):
        return machine.fresh("prepared")
    note_wrap(machine, call, models[0] if models else (given[0] if given else NONE), "prepare", machine.world_group)
    made = tuple(prepare_one(machine, call, value) for value in given)
    return made[0] if len(made) == 1 else Tuple(made)


def prepare_model(machine: Machine, call: Invocation) -> Value:
    model = call.arguments[0] if call.arguments else next((value for _, value in call.keywords), NONE)
    if alone(call):
        if isinstance(model, Object):
            machine.facts.setdefault(LEFT, set()).add(model.number)
        return model
    note_wrap(machine, call, model, "prepare", machine.world_group)
    if isinstance(model, Object) and model.facts.get("wrapped"):
        return model
    sharded = owner_shards(call)
    return wrapped(machine, call, model, FSDP if sharded else DDP, sharded)


def by_strategy(machine: Machine, call: Invocation) -> Value:
    """`prepare_model(model, parallel_strategy="fsdp")`; None leaves it alone."""
    model, asked = call.get("model"), call.get("parallel_strategy")
    if model is None or asked == NONE or (isinstance(model, Object) and model.facts.get("wrapped")):
        return model if model is not None else NONE
    sharded = asked == Const("fsdp")
    note_wrap(machine, call, model, FSDP if sharded else DDP, machine.world_group)
    return wrapped(machine, call, model, FSDP if sharded else DDP, sharded)


def first_prepared(machine: Machine, call: Invocation) -> Value:
    """`fabric.setup(model, optimizer)`: the model is wrapped, the rest comes back as it went."""
    if not call.arguments:
        return prepare_model(machine, call)
    model = prepare_model(machine, call)
    return model if len(call.arguments) == 1 else Tuple((model, *call.arguments[1:]))


def alone(call: Invocation) -> bool:
    return isinstance(call.receiver, Object) and bool(call.receiver.facts.get(ALONE))


def same_values(machine: Machine, call: Invocation) -> Value:
    return call.arguments[0] if len(call.arguments) == 1 else Tuple(call.arguments)


def boosted(machine: Machine, call: Invocation) -> Value:
    """`booster.boost(model, optimizer, criterion, dataloader, lr_scheduler)` always gives five values back."""
    names = ("model", "optimizer", "criterion", "dataloader", "lr_scheduler")
    found = [call.get(name) or NONE for name in names]
    note_wrap(machine, call, found[0], "boost", machine.world_group)
    found[0] = wrapped(machine, call, found[0], DDP, owner_shards(call))
    found[3] = prepare_one(machine, call, found[3]) if isinstance(found[3], Object) else found[3]
    return Tuple(tuple(found))


def deepspeed_initialize(machine: Machine, call: Invocation) -> Value:
    """The engine, its optimizer, its loader and its schedule."""
    model = call.get("model") or NONE
    note_wrap(machine, call, model, "deepspeed", machine.world_group)
    kinds = tuple(call.row.extra.get("returns", ()))
    config = call.get("config") or call.get("config_params")
    stage = zero_stage(config)
    staged = "stages" in call.row.extra and classes.is_a(machine, model, call.row.extra["stages"])
    if not staged and call.get("mpu") in (None, NONE):  # else it counts groups of processes
        note_batch(machine, call, config)
    engine = wrapped(machine, call, model, str(call.row.extra["engine"] if staged else kinds[0]), stage == 3)
    engine.facts["deepspeed"] = True
    items: list[Value] = [engine]
    for kind in kinds[1:]:
        if kind == LOADER:
            loader = machine.new(kind, call.mask)
            loader.facts["call"] = call
            loader.attributes["dataset"] = call.get("training_data") or NONE
            items.append(loaders.prepared(machine, loader, call.name, call.mask))
        elif kind.endswith("Optimizer") and isinstance(call.get("optimizer"), Object):
            items.append(call.get("optimizer") or NONE)
        else:
            items.append(machine.new(str(kind), call.mask) if kind else machine.fresh("scheduler"))
    return Tuple(tuple(items))


BATCHES = "batches of engines"  # fact of the run: the batch of all ranks, of one, and how many of these make a step


def note_batch(machine: Machine, call: Invocation, config: Value | None) -> None:
    """The sizes that an engine checks against the number of ranks, where a dictionary has all of them."""
    if isinstance(config, Object) and config.kind == "dict":
        sizes = tuple(config.attributes.get(("key", name)) for name in call.row.extra.get("batch", ()))
        grouped = any(("key", name) in config.attributes for name in call.row.extra.get("groups", ()))
        if sizes and None not in sizes and not grouped:
            machine.facts.setdefault(BATCHES, []).append((sharding.site(machine), sizes))


def zero_stage(config: Value | None) -> int | None:
    """The ZeRO stage a configuration names: in a dictionary, or in the name of its file."""
    if isinstance(config, Const) and isinstance(config.value, str):
        name = config.value.lower().replace("_", "").replace("-", "")
        return 3 if any(mark in name for mark in ("zero3", "stage3", "z3.", "ds3")) else None
    if isinstance(config, Object) and config.kind == "dict":
        section = config.attributes.get(("key", "zero_optimization"))
        stage = section.attributes.get(("key", "stage")) if isinstance(section, Object) else None
        return stage.value if isinstance(stage, Const) and isinstance(stage.value, int) else None
    if isinstance(config, Object) and isinstance(config.facts.get("call"), Invocation):
        stage = config.facts["call"].get("zero_stage")
        return stage.value if isinstance(stage, Const) and isinstance(stage.value, int) else None
    return None


def accelerator(machine: Machine, call: Invocation) -> Value:
    """`Accelerator(fsdp_plugin=…)` shards what it prepares."""
    made = machine.new(machine.knowledge.canonical(call.row.type), call.mask)
    made.facts.update(api=call.row.name, call=call)
    shards = given(call.get("fsdp_plugin")) or zero_stage(call.get("deepspeed_plugin")) == 3
    if shards or launched_to_shard(machine):
        made.facts["sharded"] = machine.facts["sharded"] = True
    made.facts[KEEPS_PARTS] = first_kind(call.get("fsdp_plugin"))
    made.facts["engine"] = isinstance(call.get("deepspeed_plugin"), Object)  # at every stage it saves with all ranks
    return made


def launched_to_shard(machine: Machine) -> bool:
    """Is this program started with a configuration that shards? One that asks what it was started with is written for
    others, too."""
    outermost = machine.frame
    while outermost.caller is not None:
        outermost = outermost.caller
    project = machine.project
    asks = any(project.mentioning(word) for word in ("distributed_type", "zero_stage"))
    return project.started.shards(outermost.path) and not asks


def first_kind(plugin: Value | None) -> bool:
    """A plugin made here, which shards by the first kind of FSDP unless it is told to take the second."""
    made = plugin.facts.get("call") if isinstance(plugin, Object) else None
    return isinstance(made, Invocation) and made.get("fsdp_version") in (None, NONE, Const(1))


def given(value: Value | None) -> bool:
    """Was an argument given, and is it something?"""
    if value is None or value in (NONE, FALSE):
        return False
    if isinstance(value, Const):
        return bool(value.value)
    held = value.attributes.get("[]") if isinstance(value, Object) and value.kind == "list" else value
    return not isinstance(held, Tuple) or bool(held.items)


def training_arguments(machine: Machine, call: Invocation) -> Value:
    """`TrainingArguments(fsdp=…, deepspeed=…)`: does this job keep sharded parameters?"""
    made = machine.new(machine.knowledge.canonical(call.row.type), call.mask)
    made.facts.update(api=call.row.name, call=call)
    for name, value in call.keywords:
        if name is not None:
            made.attributes.setdefault(name, value)
    told_to_shard(machine, made, call.get("fsdp"), call.get("deepspeed"))
    return made


def told_to_shard(machine: Machine, arguments: Object, fsdp: Value | None, deepspeed: Value | None) -> None:
    told = (isinstance(fsdp, Const | Object | Tuple) and given(fsdp)) or zero_stage(deepspeed) == 3
    if told or launched_to_shard(machine):
        arguments.facts["sharded"] = machine.facts["sharded"] = True


def sharding_strategy(machine: Machine, call: Invocation) -> Value:
    """`Fabric(strategy="fsdp")`, `Trainer(strategy="deepspeed_stage_3")`"""
    made = machine.new(machine.knowledge.canonical(call.row.type), call.mask)
    made.facts.update(api=call.row.name, call=call)
    strategy = call.get("strategy")
    name = strategy.value if isinstance(strategy, Const) else getattr(strategy, "kind", "")
    if isinstance(name, str) and ("fsdp" in name.lower() or "stage_3" in name.lower()):
        made.facts["sharded"] = machine.facts["sharded"] = True
        made.facts[KEEPS_PARTS] = "fsdp" in name.lower()
    nodes = call.get("num_nodes")
    counted = any(at_most_one(call.get(name)) for name in ("devices", "gpus"))
    made.facts[ALONE] = counted and (nodes is None or nodes in ONE)
    return made


def at_most_one(devices: Value | None) -> bool:
    """`devices=1`, `devices=[options.gpu]`, `gpus=1 if torch.cuda.is_available() else 0`"""
    named = devices.attributes.get("[]") if isinstance(devices, Object) and devices.kind == "list" else devices
    if isinstance(named, Tuple):
        return len(named.items) == 1 and named.items[0] != Const(-1)
    key = devices.symbol.key if isinstance(devices, Unknown) and devices.cause is None else ()
    sides = key[2:] if key[:1] == ("phi",) else ()
    return devices in ONE or (bool(sides) and all(type(side) is int and side in (0, 1) for side in sides))


MODELS: dict[str, Any] = {
    "wrap_ddp": wrap_ddp,
    "wrap_fsdp": wrap_fsdp,
    "wrap_dp": wrap_dp,
    "unwrap": unwrap,
    "fully_shard": in_place,
    "parallelize_module": in_place,
    "replicate": replicated,
    "accelerator": accelerator,
    "accelerate_prepare": accelerate_prepare,
    "accelerate_prepare_model": prepare_model,
    "fabric": sharding_strategy,
    "prepared_by_strategy": by_strategy,
    "fabric_setup": first_prepared,
    "fabric_setup_module": prepare_model,
    "fabric_setup_optimizers": same_values,
    "colossalai_boost": boosted,
    "deepspeed_initialize": deepspeed_initialize,
    "hf_training_arguments": training_arguments,
}
