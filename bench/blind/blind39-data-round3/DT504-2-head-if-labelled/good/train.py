import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Segmenter(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU())
        self.mask = nn.Conv2d(16, 1, 1)
        self.boundary = nn.Conv2d(16, 1, 1)

    def forward(self, images, masks, edges, has_edges):
        hidden = self.body(images)
        loss = F.binary_cross_entropy_with_logits(self.mask(hidden), masks)
        per_image = F.binary_cross_entropy_with_logits(self.boundary(hidden), edges, reduction="none").mean(dim=(1, 2, 3))
        weight = has_edges.float()
        loss = loss + (per_image * weight).sum() / weight.sum().clamp(min=1)
        return loss


def scans(n=1024):
    gen = torch.Generator().manual_seed(19)
    images = torch.rand(n, 1, 16, 16, generator=gen)
    masks = (images > 0.5).float()
    return TensorDataset(images, masks, 1 - masks, torch.rand(n, generator=gen) > 0.8)


def main(epochs=3):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(Segmenter().to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = scans()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=4, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            opt.zero_grad(set_to_none=True)
            loss = model(*(t.to(device) for t in batch))
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "segmenter.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
