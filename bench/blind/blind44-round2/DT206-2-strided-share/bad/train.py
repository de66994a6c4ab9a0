import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from video.clips import Clips
from video.share import share


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv = nn.Conv3d(3, 16, 3, stride=2)
        self.head = nn.Linear(16, classes)

    def forward(self, x):
        return self.head(self.conv(x).relu().mean((2, 3, 4)))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("manifest")
    ap.add_argument("--epochs", type=int, default=5)
    args = ap.parse_args()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    data = share(Clips(args.manifest), dist.get_rank(), dist.get_world_size())
    loader = DataLoader(data, batch_size=1, shuffle=True, num_workers=8)
    torch.manual_seed(0)
    model = DDP(Net(10).cuda(), device_ids=[local])
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(args.epochs):
        for frames, label in loader:
            opt.zero_grad()
            F.cross_entropy(model(frames.cuda()), label.cuda()).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
