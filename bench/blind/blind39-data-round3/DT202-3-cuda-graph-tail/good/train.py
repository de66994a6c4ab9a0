import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

BATCH = 64


class GraphedStep:
    def __init__(self, model, optimizer, width, device):
        self.x = torch.zeros(BATCH, width, device=device)
        self.y = torch.zeros(BATCH, 1, device=device)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(11):
                self._work(model, optimizer)
        torch.cuda.current_stream().wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.loss = self._work(model, optimizer)

    def _work(self, model, optimizer):
        optimizer.zero_grad(set_to_none=True)
        loss = F.mse_loss(model(self.x), self.y)
        loss.backward()
        optimizer.step()
        return loss

    def __call__(self, x, y):
        self.x.copy_(x)
        self.y.copy_(y)
        self.graph.replay()
        return self.loss


def springs(n=10_000):
    gen = torch.Generator().manual_seed(23)
    x = torch.randn(n, 6, generator=gen)
    return TensorDataset(x, x.square().sum(dim=1, keepdim=True))


def main(epochs=20):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        net = nn.Sequential(nn.Linear(6, 128), nn.Tanh(), nn.Linear(128, 1)).to(device)
        model = DDP(net, device_ids=[local_rank])
    torch.cuda.current_stream().wait_stream(side)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, capturable=True)
    step = GraphedStep(model, optimizer, 6, device)
    data = springs()
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=BATCH, sampler=sampler, pin_memory=True, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            step(x, y)
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "springs.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
