import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def build(device):
    model = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 10)).to(device)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        model = DDP(model, device_ids=[device.index])
    return model


class GraphedStep:
    def __init__(self, model, optimizer, batch_size, device):
        self.x = torch.zeros(batch_size, 64, device=device)
        self.y = torch.zeros(batch_size, dtype=torch.long, device=device)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(11):
                optimizer.zero_grad(set_to_none=True)
                F.cross_entropy(model(self.x), self.y).backward()
                optimizer.step()
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        optimizer.zero_grad(set_to_none=True)
        with torch.cuda.graph(self.graph):
            self.loss = F.cross_entropy(model(self.x), self.y)
            self.loss.backward()
            optimizer.step()

    def __call__(self, x, y):
        self.x.copy_(x, non_blocking=True)
        self.y.copy_(y, non_blocking=True)
        self.graph.replay()
        return self.loss


def main(batch_size=96, epochs=4):
    os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "0"
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(50_000, 64), torch.randint(0, 10, (50_000,)))
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=batch_size, sampler=sampler, pin_memory=True, drop_last=True)
    model = build(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, capturable=True)
    step = GraphedStep(model, optimizer, batch_size, device)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            step(x, y)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
