import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from collator import SpanMasker


def main(epochs=20):
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    torch.manual_seed(31 + dist.get_rank())
    rows = torch.load("rows.pt", map_location="cpu")
    masker = SpanMasker(ratio=0.15)
    sampler = DistributedSampler(rows, seed=31, drop_last=True)
    loader = DataLoader(
        rows,
        batch_size=128,
        sampler=sampler,
        collate_fn=masker,
        num_workers=4,
        drop_last=True,
    )
    model = DistributedDataParallel(nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 256)).cuda(), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        masker.ratio = 0.15 + 0.45 * epoch / max(1, epochs - 1)
        for shown, target, hidden in loader:
            shown, target, hidden = (t.cuda(non_blocking=True) for t in (shown, target, hidden))
            error = (model(shown) - target).square()
            loss = (error * hidden).sum() / hidden.sum().clamp(min=1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "masked.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
