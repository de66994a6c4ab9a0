"""Image-text contrastive training with negatives from all ranks."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Pair(nn.Module):
    def __init__(self, d_image=1024, d_text=768, width=256):
        super().__init__()
        self.image = nn.Sequential(nn.Linear(d_image, width), nn.GELU(), nn.Linear(width, width))
        self.text = nn.Sequential(nn.Linear(d_text, width), nn.GELU(), nn.Linear(width, width))

    def forward(self, image, text):
        return nn.functional.normalize(self.image(image), dim=-1), nn.functional.normalize(self.text(text), dim=-1)


def from_all_ranks(x):
    """(world * batch, width), the blocks in the order of the ranks."""
    parts = [torch.empty_like(x) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x)
    return torch.cat(parts)


class GlobalInfoNCE(nn.Module):
    def __init__(self, temperature=0.07):
        super().__init__()
        self.temperature = temperature

    def forward(self, image, text):
        every_image, every_text = from_all_ranks(image), from_all_ranks(text)
        logits = every_image @ every_text.T / self.temperature
        target = torch.arange(len(logits), device=logits.device)
        return (nn.functional.cross_entropy(logits, target) + nn.functional.cross_entropy(logits.T, target)) / 2


def main(epochs=10):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu", mmap=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 256, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)
    model = DDP(Pair().cuda(), device_ids=[local_rank])
    criterion = GlobalInfoNCE()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for image, text in loader:
            loss = criterion(*model(image.cuda(non_blocking=True), text.cuda(non_blocking=True)))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "pair.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
