import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@torch.no_grad()
def mean_error(model, loader, device):
    sums = torch.zeros(2, device=device)
    for x, y in loader:
        error = (model(x.to(device)) - y.to(device)).abs()
        sums[0] += error.sum()
        sums[1] += error.numel()
    dist.all_reduce(sums)
    return (sums[0] / sums[1]).item()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    model = nn.Linear(6, 2)
    model.load_state_dict(torch.load("regressor.pt", map_location="cpu"))
    model.to(device).eval()
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1024, 6, generator=gen), torch.randn(1024, 2, generator=gen))
    loader = DataLoader(data, batch_size=32, sampler=DistributedSampler(data, shuffle=False))
    error = mean_error(model, loader, device)
    if dist.get_rank() == 0:
        print("mean absolute error", error)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
