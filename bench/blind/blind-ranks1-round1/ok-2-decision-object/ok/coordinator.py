import time
from dataclasses import dataclass
from pathlib import Path

import torch.distributed as dist


@dataclass
class Decision:
    stop: bool = False
    save: bool = False
    reason: str = ""


class Coordinator:
    def __init__(self, budget_seconds, stop_file, save_every_seconds):
        self.deadline = time.monotonic() + budget_seconds
        self.stop_file = Path(stop_file)
        self.save_every = save_every_seconds
        self.saved = time.monotonic()

    def _look(self):
        now = time.monotonic()
        if now > self.deadline:
            return Decision(stop=True, save=True, reason="out of time")
        if self.stop_file.exists():
            return Decision(stop=True, save=True, reason="asked to stop")
        return Decision(save=now - self.saved > self.save_every)

    def decide(self):
        box = [self._look() if dist.get_rank() == 0 else None]
        dist.broadcast_object_list(box, src=0)
        if box[0].save:
            self.saved = time.monotonic()
        return box[0]
