import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import Dataset

from parts import Parts


class WindowDataset(Dataset):
    def __init__(self, n=256, dim=16, seed=17):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, dim, generator=g)
        self.y = self.x[:, :4].sum(dim=1, keepdim=True)

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def setup():
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    local_rank = int(os.environ["LOCAL_RANK"])
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
        device = torch.device("cuda", local_rank)
    else:
        device = torch.device("cpu")
    dist.init_process_group(backend)
    return dist.get_rank(), dist.get_world_size(), device


def main():
    rank, world, device = setup()
    torch.manual_seed(0)
    encoder = nn.Sequential(nn.Linear(16, 8), nn.Tanh()).to(device).eval()
    ds = WindowDataset(n=1000)
    parts = Parts("embeddings", rank)
    parts.open()
    with torch.no_grad():
        parts.write(encoder(ds.x[rank::world].to(device)).cpu())
    if rank == 0:
        print(torch.cat(parts.read_all()).shape)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
