"""What do the settings files of launchers and libraries say: accelerate's, DeepSpeed's, host files?"""

from __future__ import annotations

import re

from dtlint.launch.model import Argument, Configuration
from dtlint.launch.tree import Tree
from dtlint.source.text import Incomplete

DEEPSPEED_KEYS = ("train_micro_batch_size_per_gpu", "zero_optimization")
SHARED_KEY = "train_batch_size"  # of DeepSpeed as well as of many a program's own settings
OTHER_KEYS = frozenset(
    {
        "gradient_accumulation_steps", "optimizer", "scheduler", "fp16", "bf16", "amp", "gradient_clipping",
        "communication_data_type", "prescale_gradients", "gradient_predivide_factor", "sparse_gradients",
        "steps_per_print", "wall_clock_breakdown", "memory_breakdown", "dump_state", "zero_allow_untested_optimizer",
        "zero_force_ds_cpu_optimizer", "activation_checkpointing", "sparse_attention", "flops_profiler", "tensorboard",
        "wandb", "csv_monitor", "comms_logger", "data_efficiency", "curriculum_learning", "aio", "autotuning",
        "elasticity", "checkpoint", "data_types", "compression_training", "hybrid_engine", "pipeline",
    }
)  # fmt: skip
HOST = re.compile(r"(\S+)(?:\s+slots\s*=\s*(\d+))?\s*(?:#.*)?$")


def configuration(path: str, tree: Tree) -> Configuration | None:
    """The configuration in this document, None when it is something else."""
    if tree.get("compute_environment") or (
        tree.get("distributed_type") and (tree.get("num_processes") or tree.get("num_machines"))
    ):
        return Configuration("accelerate", path, _flat(tree))
    if any(tree.get(key) is not None for key in DEEPSPEED_KEYS) or (path.endswith(".json") and _by_its_keys(tree)):
        return Configuration("deepspeed", path, _flat(tree))
    return None


def _by_its_keys(tree: Tree) -> bool:
    """DeepSpeed's settings hold what DeepSpeed knows; a program that keeps a batch size beside its folders and its
    model's dimensions means its own."""
    keys = [key for key, _ in tree.items()]
    return SHARED_KEY in keys and 2 * sum(key in OTHER_KEYS or key == SHARED_KEY for key in keys) >= len(keys)


def _flat(tree: Tree, prefix: str = "", depth: int = 0) -> dict[str, Argument]:
    values: dict[str, Argument] = {}
    for key, item in tree.items():
        name = prefix + key
        if isinstance(item.value, dict) and depth < 8:
            values.update(_flat(item, name + ".", depth + 1))
        elif not isinstance(item.value, (dict, list)):
            values[name] = Argument(name, None if item.value is None else str(item.value), item.line, name)
    return values


def hostfile(path: str, text: str) -> Configuration | Incomplete:
    """`worker-1 slots=8`, one host a line; no slots is one."""
    values: dict[str, Argument] = {}
    for number, row in enumerate(text.split("\n"), 1):
        row = row.strip()
        if not row or row.startswith("#"):
            continue
        match = HOST.match(row)
        if match is None:
            return Incomplete(path, number, f"not a line of a host file: `{row[:60]}`")
        if match[1] in values:
            return Incomplete(path, number, f"host `{match[1]}` is listed twice")
        values[match[1]] = Argument(match[1], match[2] or "1", number, match[1])
    return Configuration("hostfile", path, values)
