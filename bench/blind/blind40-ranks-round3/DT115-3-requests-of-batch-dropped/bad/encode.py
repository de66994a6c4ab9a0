import os

import torch
import torch.distributed as dist
import torch.nn as nn

from ring import RingAttention


class Encoder(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(width, width, bias=False) for _ in range(3))

    def forward(self, x, attend):
        return x + attend(self.q(x), self.k(x), self.v(x))


@torch.no_grad()
def main(tokens=64, width=32):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    encoder = Encoder(width).to(device).eval()
    sequence = torch.randn(world * tokens, width, generator=torch.Generator().manual_seed(3))
    mine = sequence.chunk(world)[rank].to(device)
    out = encoder(mine, RingAttention())
    torch.save(out.cpu(), f"encoded-{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
