import signal

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict


class PreemptionGuard:
    """Saves once more when the scheduler takes the machine away."""

    def __init__(self, model, optimizer, folder):
        self.model, self.optimizer, self.folder = model, optimizer, folder
        self.step = 0
        self.requested = False

    def install(self):
        signal.signal(signal.SIGUSR1, self._on_signal)
        return self

    def _on_signal(self, signum, frame):
        self.requested = True
        self.save()

    def due(self, device):
        flag = torch.tensor(float(self.requested), device=device)
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return flag.item() > 0

    def save(self):
        model_state, optim_state = get_state_dict(self.model, self.optimizer)
        state = {"model": model_state, "optimizer": optim_state, "step": self.step}
        dcp.save(state, checkpoint_id=f"{self.folder}/step_{self.step}")
