"""Knowledge distillation: frozen teacher not wrapped; static graph; gradient checkpointing; join context for uneven input."""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, Subset
from torchvision import datasets, models, transforms


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(512, 512), nn.ReLU()) for _ in range(3))
        self.stem = nn.Linear(3 * 32 * 32, 512)
        self.head = nn.Linear(512, 10)

    def forward(self, x):
        h = self.stem(x.flatten(1))
        for b in self.blocks:
            h = checkpoint(b, h, use_reentrant=False)
        return self.head(h)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--temperature", type=float, default=4.0)
    p.add_argument("--teacher", required=True)
    args = p.parse_args()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    teacher = models.resnet50(num_classes=10)
    teacher.load_state_dict(torch.load(args.teacher, map_location="cpu", weights_only=True))
    teacher.cuda().eval().requires_grad_(False)
    student = DDP(Student().cuda(), device_ids=[local])
    optimizer = torch.optim.SGD(student.parameters(), 0.1)
    whole = datasets.CIFAR10("data", train=True, transform=transforms.ToTensor())
    mine = Subset(whole, range(rank, len(whole), world))
    loader = DataLoader(mine, 128, shuffle=True, num_workers=4)
    for epoch in range(3):
        with Join([student]):
            for x, y in loader:
                x, y = x.cuda(), y.cuda()
                with torch.no_grad():
                    soft = (teacher(x) / args.temperature).softmax(-1)
                out = student(x)
                loss = F.cross_entropy(out, y) + F.kl_div((out / args.temperature).log_softmax(-1), soft, reduction="batchmean")
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        if rank == 0:
            torch.save(student.module.state_dict(), f"student{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
