import os

import torch
import torch.distributed as dist
import torch.nn as nn


class Statistics:
    def __init__(self, main):
        self.main = main
        self.values = []

    def add(self, x):
        self.values.append(x.float().abs().mean())

    def pack(self):
        out = torch.stack(self.values)
        return out.half() if self.main else out


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 32)).cuda().eval()
    stats = Statistics(main=dist.get_rank() == 0)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    x = torch.randn(64, 32, generator=gen, device="cuda")
    with torch.no_grad():
        for layer in net:
            x = layer(x)
            stats.add(x)
    packed = stats.pack()
    dist.all_reduce(packed)
    if dist.get_rank() == 0:
        print((packed / dist.get_world_size()).tolist())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
