import signal
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict


class PreemptionGuard:
    """Slurm sends SIGUSR1 some minutes before the job is taken down."""

    def __init__(self, model, optimizer, root, device):
        self.model, self.optimizer, self.device = model, optimizer, device
        self.root = Path(root)
        self.step = 0
        self._raised = False
        signal.signal(signal.SIGUSR1, self._on_signal)

    def _on_signal(self, signum, frame):
        self.checkpoint()
        raise SystemExit(0)

    def checkpoint(self):
        params, optim = get_state_dict(self.model, self.optimizer)
        dcp.save({"model": params, "optim": optim}, checkpoint_id=str(self.root / f"step-{self.step:06d}"))
        dist.barrier()

    def tick(self):
        self.step += 1
        return False
