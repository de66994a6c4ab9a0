import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from collate import Crop


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.out = nn.GRU(4, 32, batch_first=True), nn.Linear(32, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    x = torch.randn(640, 64, 4, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x[:, :8].mean((1, 2)).unsqueeze(1))
    crop = Crop(8)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(
        data,
        batch_size=16,
        sampler=sampler,
        collate_fn=crop,
        num_workers=2,
        persistent_workers=True,
        drop_last=True,
    )
    torch.manual_seed(0)
    model = DDP(Recurrent().to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters())
    for epoch in range(4):
        sampler.set_epoch(epoch)
        crop.length = min(64, 8 * 2**epoch)
        for xb, yb in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(xb.to(device)), yb.to(device)).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
