"""Whole-slide tiles in an LMDB-free folder layout."""
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler
from torchvision.io import read_image


class Tiles(Dataset):
    def __init__(self, root, classes=("normal", "tumour")):
        self.items = []
        for label, name in enumerate(classes):
            self.items += [(path, label) for path in sorted(Path(root, name).glob("*.png"))]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        path, label = self.items[i]
        return read_image(str(path)).float() / 255, label


def main(epochs=15):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    tiles = Tiles(os.environ["TILES"])
    sampler = DistributedSampler(tiles, seed=3, drop_last=True)
    loader = DataLoader(tiles, 96, sampler=sampler, num_workers=8, pin_memory=True, drop_last=True)
    net = torchvision.models.densenet121(num_classes=2).cuda()
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "tiles.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
