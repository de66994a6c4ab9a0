import os
import signal
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.fsdp import fully_shard


class Preemption:
    """SIGTERM reaches the ranks at different moments; `requested` is the same everywhere."""

    def __init__(self, device, poll_every=10):
        self.device, self.poll_every = device, poll_every
        self.seen = False
        signal.signal(signal.SIGTERM, self._note)
        signal.signal(signal.SIGUSR1, self._note)

    def _note(self, signum, frame):
        self.seen = True

    def requested(self, step):
        if step % self.poll_every:
            return False
        flag = torch.tensor([int(self.seen)], device=self.device)
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return bool(flag.item())


def sharded(device):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(40, 160), nn.GELU(), nn.Linear(160, 40)).to(device)
    fully_shard(model[0])
    fully_shard(model[2])
    fully_shard(model)
    return model


def save(model, opt, step):
    model_state, opt_state = get_state_dict(model, opt)
    dcp.save({"model": model_state, "opt": opt_state, "step": step}, checkpoint_id=f"ckpt/step_{step}")


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    model = sharded(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    preemption = Preemption(device)
    gen = torch.Generator().manual_seed(10 + dist.get_rank())
    for step in range(1, 2001):
        x = torch.randn(64, 40, generator=gen).to(device)
        opt.zero_grad()
        F.mse_loss(model(x), x.roll(1, dims=1)).backward()
        opt.step()
        if preemption.requested(step):
            save(model, opt, step)
            if dist.get_rank() == 0:
                print("preempted at step", step, file=sys.stderr)
            break
    else:
        save(model, opt, 2000)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
