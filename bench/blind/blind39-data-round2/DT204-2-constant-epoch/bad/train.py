import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, TensorDataset


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--resume", default="")
    parser.add_argument("--batch-size", type=int, default=64)
    return parser.parse_args()


def faces(n=6000):
    gen = torch.Generator().manual_seed(33)
    x = torch.rand(n, 1, 12, 12, generator=gen)
    return TensorDataset(x, x.mean(dim=(1, 2, 3), keepdim=False))


class State:
    def __init__(self, model, optimizer):
        self.model, self.optimizer, self.epoch = model, optimizer, 0

    def restore(self, path, device):
        saved = torch.load(path, map_location=device, weights_only=True)
        self.model.module.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.epoch = saved["epoch"] + 1

    def save(self, path, epoch):
        if dist.get_rank() == 0:
            parts = {"model": self.model.module.state_dict(), "optimizer": self.optimizer.state_dict()}
            torch.save({**parts, "epoch": epoch}, path)


def main():
    args = parse()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(800, 1)).to(device)
    model = DDP(net, device_ids=[local_rank])
    state = State(model, torch.optim.Adam(model.parameters(), lr=1e-3))
    data = faces()
    order = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, batch_sampler=BatchSampler(order, args.batch_size, drop_last=True), num_workers=2)
    if args.resume:
        state.restore(args.resume, device)
    order.set_epoch(state.epoch)
    for epoch in range(state.epoch, args.epochs):
        for x, y in loader:
            state.optimizer.zero_grad(set_to_none=True)
            F.mse_loss(model(x.to(device)).squeeze(-1), y.to(device)).backward()
            state.optimizer.step()
        state.save("faces.pt", epoch)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
