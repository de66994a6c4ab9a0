import os
import sys

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

GENERATE, QUIT = "generate", "quit"


class Block(nn.Module):
    def __init__(self, dim=128):
        super().__init__()
        self.embed = nn.Embedding(256, dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.out = nn.Linear(dim, 256)

    def forward(self, ids):
        hidden = self.embed(ids).mean(0)
        return self.out(hidden + self.down(torch.relu(self.up(hidden))))


class Service:
    def __init__(self, model, device):
        self.model, self.device = model, device

    def command(self, message=None):
        box = [message]
        dist.broadcast_object_list(box, src=0, device=self.device)
        return box[0]

    @torch.no_grad()
    def generate(self, prompt, length=12):
        ids = list(prompt.encode())
        for _ in range(length):
            ids.append(int(self.model(torch.tensor(ids, device=self.device)).argmax()))
        return bytes(ids).decode(errors="replace")

    def lead(self, lines):
        for line in lines:
            prompt = line.strip()
            if not prompt:
                continue
            self.command((GENERATE, prompt))
            print(self.generate(prompt))
        self.command((QUIT, None))

    def follow(self):
        while True:
            what, prompt = self.command()
            if what == QUIT:
                return
            self.generate(prompt)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    dist.init_process_group("nccl", device_id=device)
    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    torch.manual_seed(0)
    model = parallelize_module(Block().to(device), mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    service = Service(model, device)
    if dist.get_rank() == 0:
        service.lead(sys.stdin)
    else:
        service.follow()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
