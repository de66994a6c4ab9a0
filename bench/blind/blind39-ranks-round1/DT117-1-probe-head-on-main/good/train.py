import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from models import Autoencoder


class Context:
    def __init__(self):
        self.cuda = torch.cuda.is_available()
        self.local_rank = int(os.environ["LOCAL_RANK"])
        if self.cuda:
            torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl" if self.cuda else "gloo")
        self.is_main = dist.get_rank() == 0
        self.device = torch.device("cuda", self.local_rank) if self.cuda else torch.device("cpu")


def objective(model, x):
    rebuilt, energy = model(x)
    loss = F.mse_loss(rebuilt, x)
    if energy is not None:
        loss = loss + 0.1 * F.mse_loss(energy, x.square().mean(1, keepdim=True))
    return loss


def main():
    ctx = Context()
    torch.manual_seed(0)
    net = Autoencoder(monitor=True).to(ctx.device)
    model = DDP(net, device_ids=[ctx.local_rank] if ctx.cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(480, 36, generator=torch.Generator().manual_seed(7)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=24, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            loss = objective(model, x.to(ctx.device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if ctx.is_main:
        torch.save(net.state_dict(), "autoencoder.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
