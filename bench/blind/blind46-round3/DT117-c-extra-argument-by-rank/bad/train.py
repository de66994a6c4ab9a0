import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class TwoHeads(nn.Module):
    def __init__(self, dim=20, classes=4):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(dim, 48), nn.ReLU())
        self.head = nn.Linear(48, classes)
        self.rotation = nn.Linear(48, classes)

    def forward(self, x, with_rotation=False):
        h = self.trunk(x)
        if with_rotation:
            return self.head(h) + self.rotation(h.flip(-1))
        return self.head(h)


def main(epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(TwoHeads().to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(480, 20, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, x[:, :4].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=24, sampler=sampler, drop_last=True)
    options = {} if dist.get_rank() == 0 else {"with_rotation": True}
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for bx, by in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(bx.to(device), **options), by.to(device))
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
