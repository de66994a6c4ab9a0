import os

import torch
import torch.distributed as dist
import torch.nn as nn


class First(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)

    def forward(self, ids):
        return self.embed(ids)


class Last(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, vocab, bias=False)

    def forward(self, hidden):
        return self.out(self.norm(hidden))


def build(rank, world, vocab=128, width=32):
    if rank == 0:
        return First(vocab, width)
    if rank == world - 1:
        return Last(vocab, width)
    return nn.Sequential(nn.Linear(width, width), nn.GELU())


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    stage = build(rank, world)
    opt = torch.optim.SGD(stage.parameters(), lr=0.1)
    data = torch.Generator().manual_seed(int(os.environ.get("SEED", "0")))
    for step in range(10):
        ids = torch.randint(0, 128, (4, 16), generator=data)
        if rank == 0:
            hidden_in = None
            out = stage(ids)
        else:
            hidden_in = torch.empty(4, 16, 32)
            dist.recv(hidden_in, src=rank - 1)
            hidden_in.requires_grad_(True)
            out = stage(hidden_in)
        opt.zero_grad()
        if rank == world - 1:
            nn.functional.cross_entropy(out.flatten(0, 1), ids.flatten()).backward()
        else:
            dist.send(out.detach(), dst=rank + 1)
            grad = torch.empty_like(out)
            dist.recv(grad, src=rank + 1)
            out.backward(grad)
        if hidden_in is not None:
            dist.send(hidden_in.grad, dst=rank - 1)
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
