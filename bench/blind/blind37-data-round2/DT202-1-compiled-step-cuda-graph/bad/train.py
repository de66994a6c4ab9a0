import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

BATCH, DIM = 256, 96


class Captured:
    """Forward, backward and step recorded once and replayed on static inputs."""

    def __init__(self, model, optimizer, device):
        self.x = torch.zeros(BATCH, DIM, device=device)
        self.y = torch.zeros(BATCH, dtype=torch.long, device=device)
        self.graph = torch.cuda.CUDAGraph()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(11):
                self._step(model, optimizer)
        torch.cuda.current_stream().wait_stream(side)
        optimizer.zero_grad(set_to_none=True)
        with torch.cuda.graph(self.graph):
            self.loss = self._step(model, optimizer)

    def _step(self, model, optimizer):
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(self.x), self.y)
        loss.backward()
        optimizer.step()
        return loss

    def __call__(self, x, y):
        self.x.copy_(x, non_blocking=True)
        self.y.copy_(y, non_blocking=True)
        self.graph.replay()
        return self.loss


def build():
    return nn.Sequential(nn.Linear(DIM, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 20))


def dataset(n=50_000):
    g = torch.Generator().manual_seed(1)
    x = torch.randn(n, DIM, generator=g)
    return TensorDataset(x, x[:, :20].argmax(1))


def main():
    os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "0"
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        model = DDP(build().to(device), device_ids=[local_rank])
    torch.cuda.current_stream().wait_stream(side)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, capturable=True)
    data = dataset()
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=BATCH, sampler=sampler, num_workers=4, pin_memory=True)
    step = Captured(model, optimizer, device)
    for epoch in range(10):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = step(x, y)
        mean = loss.detach().clone()
        dist.all_reduce(mean, op=dist.ReduceOp.AVG)
        if dist.get_rank() == 0:
            print(epoch, mean.item())
            torch.save(model.module.state_dict(), "captured.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
