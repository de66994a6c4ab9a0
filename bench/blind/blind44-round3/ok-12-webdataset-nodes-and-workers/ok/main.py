import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from wd.pipeline import build


def main(epochs=2, samples=100_000, batch=64):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    batches = samples // (batch * dist.get_world_size())
    loader = build("/data/train-{0000..0127}.tar", batch, 4, batches)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))
    model = DDP(net.cuda(), device_ids=[local])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(epochs):
        for image, label in loader:
            opt.zero_grad()
            F.cross_entropy(model(image.cuda(non_blocking=True)), label.cuda(non_blocking=True)).backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
