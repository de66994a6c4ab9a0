import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Checkpoints:
    def __init__(self, folder, keep=2):
        self.folder, self.keep = folder, keep
        self.main = dist.get_rank() == 0
        self.written = []
        if self.main:
            os.makedirs(folder, exist_ok=True)

    def save(self, model, optimizer, epoch):
        optimizer.consolidate_state_dict()
        if self.main:
            path = os.path.join(self.folder, f"{epoch}.pt")
            torch.save({"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}, path)
            self.written.append(path)
            while len(self.written) > self.keep:
                os.remove(self.written.pop(0))
        dist.barrier()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=1e-3)
    checkpoints = Checkpoints("zero")
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(640, 16, generator=g), torch.randint(0, 4, (640,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        checkpoints.save(model, optimizer, epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
