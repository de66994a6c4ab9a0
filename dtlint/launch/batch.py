"""Do batch sizes and parallel degrees multiply out to the number of processes? (DT903)"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Sequence
from math import prod

from dtlint.findings import Step
from dtlint.launch.conflict import Conflict, evidence, line_of
from dtlint.launch.model import Configuration, Launch
from dtlint.launch.project import Launches
from dtlint.launch.said import ENGINE, MESH, TRAINER_ARGUMENTS, Said, by_program

TRAIN, MICRO, STEPS = "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"
SIZES = (TRAIN, MICRO, STEPS)
TENSOR = ("tensor_model_parallel_size", "tensor_parallel_size", "tp_size", "tp", "parallelism.tensor_parallel_degree")
PIPELINE = (
    "pipeline_model_parallel_size",
    "pipeline_parallel_size",
    "pp_size",
    "pp",
    "parallelism.pipeline_parallel_degree",
)
CONTEXT = ("context_parallel_size", "cp_size", "cp", "parallelism.context_parallel_degree")
DATA = ("data_parallel_size", "dp_size", "dp")
# Experts are spread over ranks of the data-parallel replicas, or over ranks of their own: each framework has its way.
EXPERT = ("expert_model_parallel_size", "expert_parallel_size", "ep_size", "ep")
SHARD, REPLICATE = "parallelism.data_parallel_shard_degree", "parallelism.data_parallel_replicate_degree"
# With these, DeepSpeed's batch sizes count groups of processes, not processes.
GROUPING = (
    *TENSOR,
    *PIPELINE,
    *CONTEXT,
    "model_parallel_size",
    "mp_size",
    "sequence_parallel_size",
    "sp_size",
    "num_stages",
)
# What each DeepSpeed key is checked against by the Hugging Face Trainer.
TRAINER = {MICRO: "per_device_train_batch_size", STEPS: "gradient_accumulation_steps"}
# The same of a program that makes the arguments itself.
IN_PROGRAM = {**TRAINER, "gradient_clipping": "max_grad_norm", "optimizer.params.lr": "learning_rate"}
LAUNCHERS = ("torchrun", "torch.distributed.launch", "accelerate", "deepspeed", "python")


def conflicts(launches: Launches, said: Sequence[Said] = ()) -> Iterator[Conflict]:
    for configuration in launches.configurations:
        if configuration.kind == "deepspeed":
            yield from _deepspeed(configuration, launches.users_of(configuration))
            yield from _told_in_program(configuration, said, {one.path for one in launches.configurations})
    yield from _fits_nowhere(said)
    for launch in launches:
        if launch.kind in LAUNCHERS:
            yield from _degrees(launch)
            yield from _mesh(launch, by_program(said, launches, launch, MESH))
            yield from _engine(launch, by_program(said, launches, launch, ENGINE))


def _deepspeed(configuration: Configuration, users: list[Launch]) -> Iterator[Conflict]:
    alone = _triple(configuration, None)
    if alone is not None:
        yield alone
        return
    for launch in users:
        if launch.deepspeed is None or launch.deepspeed.path != configuration.path:
            continue
        found = _triple(configuration, launch)
        if found is not None:
            yield found
            break  # one finding for the file; the other launches would say the same
    for launch in users:
        if launch.deepspeed is not None and launch.deepspeed.path == configuration.path:
            yield from _trainer(configuration, launch)


def _triple(configuration: Configuration, launch: Launch | None) -> Conflict | None:
    """`train = micro x steps x processes`, as far as the numbers are written down."""
    total, micro, steps = (configuration.get(name) for name in (TRAIN, MICRO, STEPS))
    train = total.number if total else None
    if total is None or not train:
        return None
    parts = [(item, item.number) for item in (micro, steps) if item is not None]
    if any((number is None and item.value != "auto") or number == 0 for item, number in parts):
        return None
    known = [(item, number) for item, number in parts if number]
    factors = [f"`{item.name}` {number}" for item, number in known]
    if launch is not None:
        if not launch.world_size or _grouped(launch):
            return None
        factors.append(f"{launch.world_size} processes")
    product = prod(number for _, number in known) * (launch.world_size or 1 if launch else 1)
    exact = launch is not None and micro is not None and steps is not None and len(known) == 2
    if (train == product) if exact else (train % product == 0):
        return None
    steps_taken = [
        Step(configuration.path, item.line, f"`{item.name}: {item.value}`") for item in (total, *(i for i, _ in known))
    ]
    place = evidence(launch, launch.option("nproc_per_node", "num_gpus", "num_processes")) if launch else ()
    says = "is" if exact else "can be a multiple of"
    other = "`" + TRAIN + f": {product}`" if exact else f"a multiple of {product}"
    return Conflict(
        configuration.path, total.line,
        f"`{TRAIN}` {train} is not {'' if exact else 'a multiple of '}{product} = {' x '.join(factors)}: "
        "DeepSpeed refuses to start",
        f"{TRAIN} {says} the product of the others: use {other}, or leave it out and let DeepSpeed compute it",
        (*place, *steps_taken),
    )  # fmt: skip


def _fits_nowhere(said: Sequence[Said]) -> Iterator[Conflict]:
    """The program tells its engine three numbers that fit together for no number of processes."""
    told = {(one.path, one.line): one for one in said if one.topic == ENGINE}
    for one in told.values():
        train, micro, steps = (one.number(name) for name in SIZES)
        if train and micro and steps and train % (micro * steps):
            yield Conflict(
                one.path, one.line,
                f"`{TRAIN}` {train} is not a multiple of {micro * steps} = `{MICRO}` {micro} x `{STEPS}` {steps}: "
                "DeepSpeed refuses to start",
                f"use a multiple of {micro * steps}, or leave `{TRAIN}` out and let DeepSpeed compute it",
                (one.step(*SIZES),),
            )  # fmt: skip


def _engine(launch: Launch, said: list[Said]) -> Iterator[Conflict]:
    """The program tells its engine all three in a dictionary."""
    for one in said:
        train, micro, steps = (one.number(name) for name in SIZES)
        if not launch.world_size or _grouped(launch) or not train or not micro or not steps:
            continue
        if train % (micro * steps):
            continue  # for any launch
        if (product := micro * steps * launch.world_size) != train:
            option = launch.option("nproc_per_node", "num_gpus", "num_processes")
            yield Conflict(
                launch.path, line_of(launch, option),
                f"the program tells its engine `{TRAIN}` {train}, which is not {product} = `{MICRO}` {micro} x "
                f"`{STEPS}` {steps} x {launch.world_size} processes: DeepSpeed refuses to start",
                f"use `{TRAIN}: {product}` in the program, or leave it out and let DeepSpeed compute it",
                (*evidence(launch, option), one.step(*SIZES)),
            )  # fmt: skip
            return


def _grouped(launch: Launch) -> bool:
    return any(item.name in GROUPING and item.number != 1 for item in launch.arguments)


def _trainer(configuration: Configuration, launch: Launch) -> Iterator[Conflict]:
    """The Trainer compares its own arguments with the file and stops when they differ."""
    if launch.arguments.get("per_device_train_batch_size") is None:
        return
    for key, name in TRAINER.items():
        theirs, own = configuration.get(key), launch.arguments.get(name)
        if theirs is None or own is None or theirs.number is None or own.number is None or theirs.number == own.number:
            continue
        yield Conflict(
            configuration.path, theirs.line,
            f"`{key}` is {theirs.number} here, but the Trainer is given `--{name}={own.number}`: it refuses to start",
            f'write `"{key}": "auto"` and keep the number in one place',
            (*evidence(launch, own), Step(configuration.path, theirs.line, f"`{key}: {theirs.value}`")),
        )  # fmt: skip


def _told_in_program(configuration: Configuration, said: Sequence[Said], paths: Collection[str]) -> Iterator[Conflict]:
    """`TrainingArguments(deepspeed="zero2.json", …)`: the same where the program says it."""
    for one in said:
        if one.topic != TRAINER_ARGUMENTS or not _names(one, configuration, paths):
            continue
        for key, name in IN_PROGRAM.items():
            theirs, own = configuration.get(key), one.get(name)
            if theirs is None or not isinstance(own, int | float) or theirs.amount in (None, float(own)):
                continue
            yield Conflict(
                configuration.path, theirs.line,
                f"`{key}` is {theirs.value} here, but the program gives its Trainer `{name}={own}`: refused",
                f'write `"{key.rpartition(".")[2]}": "auto"` and keep the number in one place',
                (one.step("deepspeed", name), Step(configuration.path, theirs.line, f"`{key}: {theirs.value}`")),
            )  # fmt: skip
            return


def _names(one: Said, configuration: Configuration, paths: Collection[str]) -> bool:
    """Is this the file that the arguments name, beside the program or where it is started? Or the end of its path,
    where none lies there."""
    name = one.get("deepspeed")
    if not isinstance(name, str):
        return False
    beside = {posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) for path in ("", one.program, one.path)}
    if not beside.isdisjoint(paths):
        return configuration.path in beside
    return configuration.path.endswith("/" + posixpath.normpath(name))


def _degrees(launch: Launch) -> Iterator[Conflict]:
    """Tensor x pipeline x context parallel processes make one replica; the world consists of whole replicas."""
    world, arguments = launch.world_size, launch.arguments
    if not world or (launch.kind == "python" and (launch.outer is None or world == 1)):
        return  # a single process that is told a degree starts its workers itself
    if any("encoder" in item.name and "parallel" in item.name for item in arguments):
        return  # parts of the model with degrees of their own
    chosen = [item for names in (TENSOR, PIPELINE, CONTEXT) if (item := arguments.get(*names)) is not None]
    if not any(item.name in TENSOR for item in chosen) and not any(item.name in PIPELINE for item in chosen):
        if arguments.get(SHARD, REPLICATE) is None:
            return
    numbers = [item.number for item in chosen]
    replica = prod(number for number in numbers if number)
    if 0 in numbers:
        return
    rows = (*chosen, arguments.get(SHARD), arguments.get(REPLICATE), arguments.get(*DATA))
    shown = " x ".join(f"`{item.shown}`" for item in chosen)
    if world % replica:
        yield Conflict(
            launch.path, chosen[0].line,
            f"{world} processes are not a multiple of {replica} = {shown}",
            f"start a multiple of {replica} processes, or choose degrees whose product divides {world}",
            evidence(launch, *chosen),
        )  # fmt: skip
        return
    if None in numbers:
        return
    explicit = [
        item for item in (arguments.get(*DATA), arguments.get(SHARD), arguments.get(REPLICATE)) if item is not None
    ]
    whole = len(explicit) == 2 or (len(explicit) == 1 and explicit[0].name != REPLICATE)
    experts = arguments.get(*EXPERT)
    whole = whole and (experts is None or experts.number == 1)
    if explicit and whole and all(item.number for item in explicit) and chosen and arguments.complete:
        product = replica * prod(item.number or 1 for item in explicit)
        if product != world:
            yield Conflict(
                launch.path, explicit[0].line,
                f"{world} processes start, but the degrees multiply to {product}: "
                + " x ".join(f"`{item.shown}`" for item in (*chosen, *explicit)),
                f"start {product} processes, or use a data-parallel degree of {world // replica}",
                evidence(launch, *(item for item in rows if item is not None)),
            )  # fmt: skip
            return
    yield from _global_batch(launch, world // replica)


def _mesh(launch: Launch, said: list[Said]) -> Iterator[Conflict]:
    """The program lays out more ranks than are started."""
    for one in said:
        shape = one.get("mesh_shape")
        if not launch.world_size or not isinstance(shape, list) or not shape or min(shape) < 1:
            continue
        if (size := prod(shape)) > launch.world_size:
            option = launch.option("nproc_per_node", "num_gpus", "num_processes")
            yield Conflict(
                launch.path, line_of(launch, option),
                f"{launch.world_size} processes start, but the program makes a mesh of {size} = "
                f"{' x '.join(map(str, shape))}: it is refused",
                f"start {size} processes, or choose a shape whose product is {launch.world_size}",
                (*evidence(launch, option), one.step("mesh_shape")),
            )  # fmt: skip
            return


def _global_batch(launch: Launch, replicas: int) -> Iterator[Conflict]:
    """Megatron: the global batch is a multiple of micro batch x replicas."""
    arguments = launch.arguments
    whole, micro = arguments.get("global_batch_size"), arguments.get("micro_batch_size")
    if whole is None or micro is None or not whole.number or not micro.number or not arguments.complete:
        return
    if arguments.get("rampup_batch_size") is not None or whole.number % (micro.number * replicas) == 0:
        return
    yield Conflict(
        launch.path, whole.line,
        f"`--global-batch-size` {whole.number} is not a multiple of {micro.number * replicas} = "
        f"`--micro-batch-size` {micro.number} x {replicas} data-parallel replicas",
        f"use a multiple of {micro.number * replicas}",
        evidence(launch, micro, whole),
    )  # fmt: skip
