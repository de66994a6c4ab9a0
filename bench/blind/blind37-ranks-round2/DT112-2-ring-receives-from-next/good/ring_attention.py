import math
import os

import torch
import torch.distributed as dist


def neighbours():
    rank, world = dist.get_rank(), dist.get_world_size()
    return (rank + 1) % world, (rank - 1) % world


class Ring:
    """Passes key and value blocks around once, overlapping with the computation."""

    def __init__(self):
        self.after, self.before = neighbours()

    def shift(self, block):
        coming = torch.empty_like(block)
        if dist.get_rank() % 2 == 0:
            dist.send(block, dst=self.after)
            dist.recv(coming, src=self.before)
        else:
            dist.recv(coming, src=self.before)
            dist.send(block, dst=self.after)
        return coming


def attend(query, key, value, ring, world):
    out = torch.zeros_like(query)
    norm = torch.full(query.shape[:-1], -math.inf)
    for turn in range(world):
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        part = torch.logsumexp(scores, -1)
        total = torch.logaddexp(norm, part)
        out = out * (norm - total).exp()[..., None] + torch.softmax(scores, -1) @ value * (part - total).exp()[..., None]
        norm = total
        if turn < world - 1:
            key, value = ring.shift(key), ring.shift(value)
    return out


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    if world % 2:
        raise SystemExit("an even number of processes")
    gen = torch.Generator().manual_seed(40)
    q, k, v = torch.randn(3, 8 * world, 16, generator=gen).unbind(0)
    mine = slice(8 * rank, 8 * rank + 8)
    out = attend(q[mine].contiguous(), k[mine].contiguous(), v[mine].contiguous(), Ring(), world)
    parts = [torch.empty_like(out) for _ in range(world)]
    dist.all_gather(parts, out)
    if rank == 0:
        torch.save(torch.cat(parts), os.environ.get("OUT", "attention.pt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
