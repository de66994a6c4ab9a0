import os
import time
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Budget:
    minutes: float = 55.0
    started: float = field(default_factory=time.monotonic)

    def spent(self) -> float:
        return (time.monotonic() - self.started) / 60


class Callback:
    def on_batch_end(self, loop):
        pass


class StopInTime(Callback):
    """Slurm kills at the hour; leave early enough to write the checkpoint."""

    def __init__(self, budget):
        self.budget = budget

    def on_batch_end(self, loop):
        late = torch.tensor([float(self.budget.spent() > self.budget.minutes)], device=loop.device)
        dist.all_reduce(late, op=dist.ReduceOp.MAX)
        if late.item() > 0:
            loop.stop = True


class Loop:
    def __init__(self, model, optimizer, device, callbacks=()):
        self.model, self.optimizer, self.device = model, optimizer, device
        self.callbacks = list(callbacks)
        self.stop = False
        self.steps = 0

    def run(self, loader, sampler, epochs):
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for x, y in loader:
                loss = nn.functional.l1_loss(self.model(x.to(self.device)), y.to(self.device))
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                self.optimizer.step()
                self.steps += 1
                for callback in self.callbacks:
                    callback.on_batch_end(self)
                if self.stop:
                    return self.steps
        return self.steps


def main():
    gpu = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if gpu:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if gpu else "gloo")
    device = torch.device("cuda", local_rank) if gpu else torch.device("cpu")
    torch.manual_seed(13)
    net = nn.Sequential(nn.Linear(9, 18), nn.GELU(), nn.Linear(18, 1)).to(device)
    model = DistributedDataParallel(net, device_ids=[local_rank] if gpu else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.randn(900, 9, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x[:, :1] - x[:, 1:2])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=30, sampler=sampler, drop_last=True)
    loop = Loop(model, opt, device, callbacks=[StopInTime(Budget(minutes=float(os.environ.get("BUDGET_MIN", 55))))])
    steps = loop.run(loader, sampler, epochs=4)
    if dist.get_rank() == 0:
        torch.save({"net": net.state_dict(), "steps": steps}, "final.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
