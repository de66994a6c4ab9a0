import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from resilience import retry


class Learner:
    def __init__(self, device):
        self.device = device
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(17, 34), nn.ReLU(), nn.Linear(34, 4)).to(device)
        self.model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)

    def step(self, x, y):
        self.optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
        loss.backward()
        self.optimizer.step()
        return loss.item()

    @retry(times=3, errors=(OSError,))
    def export(self, path):
        torch.save(self.model.module.state_dict(), path)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    learner = Learner(torch.device("cuda", local_rank) if cuda else torch.device("cpu"))
    g = torch.Generator().manual_seed(15)
    data = TensorDataset(torch.randn(680, 17, generator=g), torch.randint(0, 4, (680,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=17, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            learner.step(x, y)
        if dist.get_rank() == 0:
            learner.export(f"learner_{epoch}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
