import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from dist_utils import init_distributed, is_main


class WindowDataset(Dataset):
    def __init__(self, n=256, dim=16, seed=17):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, dim, generator=g)
        self.y = self.x[:, :4].sum(dim=1, keepdim=True)

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def build_model(dim=16, hidden=32):
    return nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, 1))


def main():
    distributed = init_distributed()
    torch.manual_seed(0)
    model = build_model().cuda()
    if distributed:
        model = DDP(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    ds = WindowDataset()
    sampler = DistributedSampler(ds, drop_last=True) if distributed else None
    loader = DataLoader(ds, batch_size=16, sampler=sampler, shuffle=sampler is None, drop_last=True)
    for epoch in range(2):
        if sampler is not None:
            sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            optimizer.zero_grad(set_to_none=True)
            loss = F.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
    if is_main():
        torch.save((model.module if distributed else model).state_dict(), "model.pt")
    if distributed:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
