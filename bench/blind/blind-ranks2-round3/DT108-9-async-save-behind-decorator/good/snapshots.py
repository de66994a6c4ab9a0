import os

import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict

from guards import rank_zero


class Snapshots:
    def __init__(self, root, model, optimizer):
        self.root, self.model, self.optimizer = root, model, optimizer
        self.pending = None

    @rank_zero
    def announce(self, step):
        print(f"snapshot of step {step} under {self.root}", flush=True)

    def take(self, step):
        self.finish()
        weights, moments = get_state_dict(self.model, self.optimizer)
        state = {"model": weights, "optimizer": moments}
        self.pending = dcp.async_save(state, checkpoint_id=os.path.join(self.root, f"{step:06d}"))
        self.announce(step)

    def finish(self):
        if self.pending is not None:
            self.pending.result()
            self.pending = None
