import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from losses import ContrastiveLoss


class Towers(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.image = nn.Linear(48, dim)
        self.text = nn.Linear(24, dim)
        self.loss = ContrastiveLoss()

    def forward(self, image, text):
        return self.loss(self.image(image), self.text(text))


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DistributedDataParallel(Towers().to(device), device_ids=[local] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    g = torch.Generator().manual_seed(21)
    data = TensorDataset(torch.randn(2048, 48, generator=g), torch.randn(2048, 24, generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for image, text in loader:
            optimizer.zero_grad()
            model(image.to(device), text.to(device)).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
