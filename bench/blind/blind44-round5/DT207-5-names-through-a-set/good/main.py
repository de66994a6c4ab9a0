import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset

from uniq.names import slice_of, unique


class Tensors(Dataset):
    def __init__(self, names):
        self.names = names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        return torch.load(f"/data/{self.names[i]}.pt", map_location="cpu", weights_only=True)


def main(epochs=2):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    names = slice_of(unique(["a.txt", "b.txt"]), dist.get_rank(), dist.get_world_size())
    loader = DataLoader(Tensors(names), batch_size=16, shuffle=True, num_workers=2, drop_last=True)
    torch.manual_seed(0)
    model = DDP(nn.Linear(32, 32).cuda(), device_ids=[local])
    opt = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        for x in loader:
            x = x.cuda()
            opt.zero_grad()
            (model(x) - x).square().mean().backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
