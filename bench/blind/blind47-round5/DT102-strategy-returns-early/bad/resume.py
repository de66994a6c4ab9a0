from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path

import torch
import torch.distributed as dist


@dataclass
class Report:
    found: list[int] = field(default_factory=list)


class Resume(ABC):
    @abstractmethod
    def apply(self, folder: Path, generator: torch.Generator) -> Report: ...


class Fresh(Resume):
    def apply(self, folder, generator):
        return Report()


class OwnStreams(Resume):
    """Each rank goes on with its own random stream."""

    def apply(self, folder, generator):
        path = folder / f"stream{dist.get_rank()}.pt"
        step = -1
        if not path.exists():
            return Report()
        state = torch.load(path, weights_only=True)
        generator.set_state(state["rng"])
        step = state["step"]
        steps = [None] * dist.get_world_size()
        dist.all_gather_object(steps, step)
        return Report(steps)


STRATEGIES: dict[str, type[Resume]] = {"fresh": Fresh, "own": OwnStreams}
