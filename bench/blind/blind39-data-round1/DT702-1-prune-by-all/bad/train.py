import os
import shutil
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class CheckpointFolder:
    def __init__(self, root, keep_last=2):
        self.root = Path(root)
        self.keep_last = keep_last

    def rotate(self):
        saved = sorted(self.root.glob("epoch-*"), key=lambda p: int(p.name.split("-")[1]))
        for path in saved[: -self.keep_last]:
            shutil.rmtree(path)

    def save(self, epoch, model, optimizer):
        if dist.get_rank() == 0:
            target = self.root / f"epoch-{epoch}"
            target.mkdir(parents=True, exist_ok=True)
            torch.save(model.module.state_dict(), target / "weights.pt")
            torch.save(optimizer.state_dict(), target / "optimizer.pt")
        dist.barrier()
        self.rotate()


def images(n=2048):
    gen = torch.Generator().manual_seed(12)
    x = torch.rand(n, 1, 20, 20, generator=gen)
    return TensorDataset(x, (x.flatten(1).mean(1) * 8).long())


def main(epochs=6):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.AdaptiveMaxPool2d(2), nn.Flatten(), nn.Linear(32, 8))
    model = DDP(net.to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, nesterov=True)
    data = images()
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    folder = CheckpointFolder("runs/shapes/checkpoints")
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
        folder.save(epoch, model, opt)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
