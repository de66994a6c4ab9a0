"""Leaves cleanly on SIGTERM: the flag is agreed upon every few steps."""
import os
import signal

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Preemption:
    def __init__(self, device, every=10):
        self.flag = torch.zeros(1, device=device)
        self.every = every
        self.seen = False
        signal.signal(signal.SIGTERM, self._on_signal)

    def _on_signal(self, *_):
        self.seen = True

    def requested(self, step):
        if step % self.every:
            return False
        self.flag.fill_(float(self.seen))
        dist.all_reduce(self.flag, op=dist.ReduceOp.MAX)
        return self.flag.item() > 0


def main(epochs=100):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    dist.init_process_group("nccl")
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 128, sampler=sampler, drop_last=True)
    net = nn.Linear(64, 10).to(device)
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    preemption = Preemption(device)
    stop, step = False, 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            step += 1
            if preemption.requested(step):
                stop = True
                break
        if dist.get_rank() == 0:
            torch.save({"net": net.state_dict(), "epoch": epoch, "step": step}, "last.pt")
        dist.barrier()
        if stop:
            break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
