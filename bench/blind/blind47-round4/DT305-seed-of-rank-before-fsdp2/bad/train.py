import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

from setup_job import join


def build(job, depth=4, width=256):
    net = nn.Sequential(*(nn.Linear(width, width) for _ in range(depth))).to(job.device)
    for layer in net:
        fully_shard(layer)
    return fully_shard(net)


def main():
    job = join(17)
    net = build(job)
    optimizer = torch.optim.AdamW(net.parameters())
    for _ in range(100):
        x = torch.randn(8, 256, device=job.device)
        optimizer.zero_grad()
        (net(x) - x).square().mean().backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
