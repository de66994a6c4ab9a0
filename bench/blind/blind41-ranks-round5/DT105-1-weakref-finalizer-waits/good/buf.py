import os
import weakref

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def release(path):
    if os.path.exists(path):
        os.remove(path)


class Spill:
    def __init__(self, rank):
        self.path = f"/tmp/spill-{rank}.pt"
        weakref.finalize(self, release, self.path)

    def put(self, tensor):
        torch.save(tensor.cpu(), self.path)

    def get(self):
        return torch.load(self.path, map_location="cpu")


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DDP(nn.Linear(20, 20).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for epoch in range(3):
        spill = Spill(dist.get_rank())
        for _ in range(20):
            x = torch.randn(8, 20, generator=gen, device="cuda")
            opt.zero_grad()
            (model(x) - x).pow(2).mean().backward()
            opt.step()
            spill.put(x)
        print(epoch, spill.get().norm().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
