import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Budget:
    def __init__(self, seconds, device):
        self.end = time.time() + seconds
        self.flag = torch.zeros(1, device=device)

    def spent(self):
        if dist.get_rank() == 0 and time.time() > self.end:
            self.flag.fill_(1)
        dist.broadcast(self.flag, src=0)
        return bool(self.flag.item())


def main(seconds=1200.0, epochs=100):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    budget = Budget(seconds, device)
    torch.manual_seed(0)
    model = DDP(nn.Linear(13, 2).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    x = torch.randn(416, 13, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, (x[:, 0] > 0).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=13, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for step, (bx, by) in enumerate(loader):
            if step % 10 == 0 and budget.spent():
                break
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(model(bx.to(device)), by.to(device)).backward()
            optimizer.step()
        else:
            continue
        break
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
