import os

import torch
import torch.distributed as dist
from torch import nn

from retrieval import search


class Encoder(nn.Module):
    def __init__(self, dim=16, out=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 32), nn.GELU(), nn.Linear(32, out))

    def forward(self, x):
        return nn.functional.normalize(self.net(x), dim=-1)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    encoder = Encoder().to(device).eval()
    g = torch.Generator().manual_seed(1)
    index = nn.functional.normalize(torch.randn(100, 8, generator=g), dim=-1).to(device)
    queries = list(torch.randn(int(os.environ.get("QUERIES", "9")), 16, generator=g))
    rows = search(encoder, queries, index, device)
    if dist.get_rank() == 0:
        print(len(rows), rows[0])
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
