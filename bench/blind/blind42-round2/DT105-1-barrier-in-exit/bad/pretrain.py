import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from phases import Phase


class Images(Dataset):
    def __init__(self, root):
        self.paths = sorted(os.path.join(root, n) for n in os.listdir(root))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        blob = torch.load(self.paths[i], map_location="cpu")
        if blob["image"].shape != (3, 64, 64):
            raise ValueError(f"{self.paths[i]}: {tuple(blob['image'].shape)}")
        return blob["image"].float() / 255, blob["label"]


def main(epochs=5):
    dist.init_process_group("gloo")
    data = Images(os.environ["IMAGES"])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Conv2d(3, 32, 3, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(512, 10))
    model = DDP(net)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        with Phase(f"epoch {epoch}"):
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "images.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
