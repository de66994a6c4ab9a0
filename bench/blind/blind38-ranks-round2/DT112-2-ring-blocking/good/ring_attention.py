import math
import os

import torch
import torch.distributed as dist
import torch.nn as nn


class Ring:
    """Passes blocks around: each rank hands its block to the next one and takes that of the one before."""

    def __init__(self):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.next = (self.rank + 1) % self.world
        self.previous = (self.rank - 1) % self.world

    def rotate(self, block):
        incoming = torch.empty_like(block)
        block = block.contiguous()
        for request in dist.batch_isend_irecv(
            [dist.P2POp(dist.isend, block, self.next), dist.P2POp(dist.irecv, incoming, self.previous)]
        ):
            request.wait()
        return incoming


class RingAttention(nn.Module):
    """Full attention over a sequence that is cut over the ranks."""

    def __init__(self, dim, ring):
        super().__init__()
        self.ring = ring
        self.q, self.k, self.v = (nn.Linear(dim, dim, bias=False) for _ in range(3))

    @torch.no_grad()
    def forward(self, x):
        q, block = self.q(x), torch.cat([self.k(x), self.v(x)], dim=-1)
        top = torch.full(q.shape[:-1], -torch.inf, device=x.device)
        weight = torch.zeros_like(top)
        out = torch.zeros_like(q)
        for turn in range(self.ring.world):
            k, v = block.chunk(2, dim=-1)
            scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
            peak = torch.maximum(top, scores.amax(-1))
            scale, part = (top - peak).exp(), (scores - peak.unsqueeze(-1)).exp()
            out = out * scale.unsqueeze(-1) + part @ v
            weight = weight * scale + part.sum(-1)
            top = peak
            if turn + 1 < self.ring.world:
                block = self.ring.rotate(block)
        return out / weight.unsqueeze(-1)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(0)
    attention = RingAttention(128, Ring()).to(device)
    gen = torch.Generator(device).manual_seed(7 + dist.get_rank())
    x = torch.randn(4, 1024, 128, generator=gen, device=device)
    for _ in range(10):
        x = x + attention(x)
    norm = x.norm()
    dist.all_reduce(norm)
    if dist.get_rank() == 0:
        print("norm", norm.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
