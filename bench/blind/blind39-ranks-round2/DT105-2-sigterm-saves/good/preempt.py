import signal
import sys

import torch.distributed as dist
import torch.distributed.checkpoint as dcp


class Preemption:
    """Saves before the scheduler takes the node away."""

    def __init__(self, model, optimizer, folder):
        self.model, self.optimizer, self.folder = model, optimizer, folder
        self.step = 0
        self.requested = False
        signal.signal(signal.SIGTERM, self.handle)

    def state(self):
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def save(self):
        dcp.save(self.state(), checkpoint_id=f"{self.folder}/step_{self.step}")

    def handle(self, signum, frame):
        self.requested = True
