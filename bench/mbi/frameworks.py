"""How are the same situations written in torch.distributed, Accelerate and JAX?"""

from __future__ import annotations

from dataclasses import dataclass

from bench.mbi.statements import Call

UNIFORM = (
    "$world > 1",
    "SYNCHRONISE",
    'SETTINGS["synchronise"]',
    'SETTINGS.get("synchronise", True)',
    "STEPS > 2",
    'os.environ.get("SYNCHRONISE", "1") == "1"',
    "$world % 2 == 0",
    "wanted(SETTINGS)",
)
RANK_CONDITIONS = ("$rank == 0", "$rank % 2 == 0", "$rank < $world // 2", "$rank != 0", "$rank > 1", "$rank in (0, 2)")
COMPLEMENTS = (
    ("$rank != 0", "$rank == 0"),
    ("$rank == 0", "$rank != 0"),
    ("$rank % 2 == 0", "$rank % 2 == 1"),
    ("$rank < 2", "$rank >= 2"),
    ("$rank > 0", "not $rank > 0"),
)


@dataclass(frozen=True, slots=True)
class Framework:
    name: str
    imports: tuple[str, ...]
    setup: tuple[str, ...]
    teardown: tuple[str, ...]
    calls: tuple[str, ...]
    asynchronous: tuple[str, ...]
    conditions: tuple[str, ...]
    complements: tuple[tuple[str, str], ...]
    array: str  # module that makes arrays
    total: str  # a Python number from an array called `local`
    barrier: str

    def lines(self, call: Call, number: int) -> tuple[str, ...]:
        """The lines of a collective; the last one communicates."""
        if self.name == "torch":
            return torch_lines(call, number)
        return accelerate_lines(call, number) if self.name == "accelerate" else jax_lines(call, number)


TORCH = Framework(
    name="torch",
    imports=("import torch", "import torch.distributed as dist"),
    setup=(
        '$dist.init_process_group("gloo")',
        "rank = $dist.get_rank()",
        "world_size = $dist.get_world_size()",
        "tensor = torch.ones(4)",
    ),
    teardown=("$dist.destroy_process_group()",),
    calls=("barrier", "all_reduce", "broadcast", "reduce", "all_gather", "gather", "scatter", "reduce_scatter"),
    asynchronous=("barrier", "all_reduce", "broadcast", "reduce", "all_gather"),
    conditions=(*RANK_CONDITIONS, "is_main($rank)", "$dist.get_rank() == 0"),
    complements=COMPLEMENTS,
    array="torch",
    total="local.sum().item()",
    barrier="$dist.barrier()",
)
ACCELERATE = Framework(
    name="accelerate",
    imports=(
        "import torch",
        "from accelerate import Accelerator",
        "from accelerate.utils import broadcast",
        "from accelerate.utils import gather_object",
    ),
    setup=(
        "accelerator = Accelerator(cpu=True)",
        "rank = accelerator.process_index",
        "world_size = accelerator.num_processes",
        "tensor = torch.ones(4)",
    ),
    teardown=("accelerator.end_training()",),
    calls=("wait_for_everyone", "gather", "reduce", "broadcast", "gather_object"),
    asynchronous=(),
    conditions=(
        *RANK_CONDITIONS,
        "$acc.is_main_process",
        "not $acc.is_main_process",
        "$acc.process_index == 0",
        "$acc.is_last_process",
    ),
    complements=(*COMPLEMENTS, ("not $acc.is_main_process", "$acc.is_main_process")),
    array="torch",
    total="local.sum().item()",
    barrier="$acc.wait_for_everyone()",
)
JAX = Framework(
    name="jax",
    imports=("import jax", "import jax.numpy as jnp", "from jax.experimental import multihost_utils"),
    setup=(
        "jax.distributed.initialize()",
        "rank = jax.process_index()",
        "world_size = jax.process_count()",
        "tensor = jnp.ones(4)",
    ),
    teardown=("jax.distributed.shutdown()",),
    calls=("sync_global_devices", "process_allgather", "broadcast_one_to_all"),
    asynchronous=(),
    conditions=(*RANK_CONDITIONS, "is_main($rank)", "jax.process_index() == 0"),
    complements=COMPLEMENTS,
    array="jnp",
    total="float(local.sum())",
    barrier='multihost_utils.sync_global_devices("phase")',
)
FRAMEWORKS = (TORCH, ACCELERATE, JAX)


def torch_lines(call: Call, number: int) -> tuple[str, ...]:
    """Every call has buffers of its own, so that nothing but the order is at stake."""
    root = call.root or "0"
    options = f", group={call.group}" if call.group else ""
    reduction = f", op={call.reduction}" if call.reduction else ""
    tail = options + (", async_op=True" if call.handle else "")
    start = f"{call.handle} = " if call.handle else ""
    parts = f"parts_{number} = [torch.zeros(4) for _ in range($world)]"
    match call.name:
        case "barrier":
            return (f"{start}$dist.barrier({tail.removeprefix(', ')})",)
        case "all_reduce":
            return (f"total_{number} = $tensor.clone()", f"{start}$dist.all_reduce(total_{number}{reduction}{tail})")
        case "broadcast":
            return (f"copy_{number} = $tensor.clone()", f"{start}$dist.broadcast(copy_{number}, src={root}{tail})")
        case "reduce":
            return (
                f"total_{number} = $tensor.clone()",
                f"{start}$dist.reduce(total_{number}, dst={root}{reduction}{tail})",
            )
        case "all_gather":
            return (parts, f"{start}$dist.all_gather(parts_{number}, $tensor{tail})")
        case "gather":
            return (f"{parts} if $rank == {root} else None", f"$dist.gather($tensor, parts_{number}, dst={root}{tail})")
        case "scatter":
            return (
                f"{parts} if $rank == {root} else None",
                f"part_{number} = torch.zeros(4)",
                f"$dist.scatter(part_{number}, parts_{number}, src={root}{tail})",
            )
        case "reduce_scatter":
            return (
                parts,
                f"part_{number} = torch.zeros(4)",
                f"$dist.reduce_scatter(part_{number}, parts_{number}{tail})",
            )
    raise ValueError(call.name)


def accelerate_lines(call: Call, number: int) -> tuple[str, ...]:
    match call.name:
        case "wait_for_everyone":
            return ("$acc.wait_for_everyone()",)
        case "gather":
            return (f"gathered_{number} = $acc.gather($tensor)",)
        case "reduce":
            return (f'total_{number} = $acc.reduce($tensor, reduction="sum")',)
        case "broadcast":
            return (f"shared_{number} = broadcast($tensor, from_process={call.root or '0'})",)
        case "gather_object":
            return (f"names_{number} = gather_object([str($rank)])",)
    raise ValueError(call.name)


def jax_lines(call: Call, number: int) -> tuple[str, ...]:
    match call.name:
        case "sync_global_devices":
            return ('multihost_utils.sync_global_devices("phase")',)
        case "process_allgather":
            return (f"gathered_{number} = multihost_utils.process_allgather($tensor)",)
        case "broadcast_one_to_all":
            return (f"shared_{number} = multihost_utils.broadcast_one_to_all($tensor)",)
    raise ValueError(call.name)
