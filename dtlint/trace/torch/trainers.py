"""A trainer that asks for as many devices as its cluster has: which does it get here? As many as there are ranks."""

from __future__ import annotations

import sys
from typing import Any

from dtlint.trace.torch.cuda import rewrite

TRAINERS = (
    ("lightning.fabric.fabric", "Fabric"),
    ("lightning.pytorch.trainer.trainer", "Trainer"),
    ("lightning_fabric.fabric", "Fabric"),
    ("pytorch_lightning.trainer.trainer", "Trainer"),
)


def install(ranks: int) -> None:
    """Of those that are imported; the server has imported what the script names."""

    def on_all_ranks(given: dict[str, Any]) -> dict[str, Any]:
        if not is_many(given.get("devices")):
            return given
        return {**given, "devices": ranks, "num_nodes": 1}

    for name, kind in TRAINERS:
        if name in sys.modules:
            rewrite(getattr(sys.modules[name], kind), on_all_ranks)


def is_many(devices: Any) -> bool:
    """Whoever asks for one device runs one process."""
    if isinstance(devices, (list, tuple)):
        return len(devices) > 1
    if isinstance(devices, str):
        return devices not in ("auto", "1", "0")
    return isinstance(devices, int) and devices not in (0, 1)
