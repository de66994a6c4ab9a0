import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def make_split(seed, n):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 6, generator=g)
    return TensorDataset(x, x.prod(dim=1, keepdim=True))


class Validator:
    def __init__(self, model, loader, device):
        self.model, self.loader, self.device = model, loader, device

    @torch.no_grad()
    def run(self):
        self.model.eval()
        totals = torch.zeros(2, device=self.device)
        for x, y in self.loader:
            pred = self.model(x.to(self.device))
            totals[0] += F.smooth_l1_loss(pred, y.to(self.device), reduction="sum")
            totals[1] += x.shape[0]
        self.model.train()
        dist.all_reduce(totals, op=dist.ReduceOp.SUM)
        return (totals[0] / totals[1]).item()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(2)
    net = nn.Sequential(nn.Linear(6, 48), nn.SiLU(), nn.Linear(48, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    plateau = ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    train, val = make_split(0, 768), make_split(1, 256)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=32, sampler=sampler, drop_last=True)
    validator = Validator(model, DataLoader(val, batch_size=64, sampler=DistributedSampler(val, shuffle=False)), device)
    for epoch in range(8):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            F.smooth_l1_loss(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
        val_loss = validator.run()
        plateau.step(val_loss)
        if rank == 0:
            print(f"epoch {epoch} val {val_loss:.4f} lr {optimizer.param_groups[0]['lr']:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
