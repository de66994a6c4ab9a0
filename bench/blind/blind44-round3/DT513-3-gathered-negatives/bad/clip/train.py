import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from clip.loss import ClipLoss


class Towers(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = nn.Linear(24, 16), nn.Linear(12, 16)
        self.scale = nn.Parameter(torch.tensor(2.6))

    def forward(self, image, text):
        return self.image(image), self.text(text), self.scale.exp()


def main(epochs=2):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(Towers().to(device), device_ids=[device.index] if cuda else None)
    opt = torch.optim.AdamW(model.parameters())
    criterion = ClipLoss()
    g = torch.Generator().manual_seed(1)
    data = TensorDataset(torch.randn(640, 24, generator=g), torch.randn(640, 12, generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for image, text in loader:
            loss = criterion(*model(image.to(device), text.to(device)))
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
