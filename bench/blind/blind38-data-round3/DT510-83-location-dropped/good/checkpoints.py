from pathlib import Path

import torch
import torch.distributed as dist


class Checkpoints:
    """Writes on rank 0 and reads on every rank."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    @property
    def last(self):
        return self.folder / "last.pt"

    def write(self, **parts):
        if dist.get_rank() == 0:
            part = self.last.with_suffix(".part")
            torch.save({name: self._state(part_) for name, part_ in parts.items()}, part)
            part.replace(self.last)
        dist.barrier()

    def read(self, map_location=None):
        if not self.last.exists():
            return None
        return torch.load(self.last, map_location=map_location, weights_only=True)

    @staticmethod
    def _state(thing):
        return thing.state_dict() if hasattr(thing, "state_dict") else thing
