import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def pick_device() -> torch.device:
    """mpirun tells only the global rank; ranks are laid out node by node."""
    rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
    per_node = torch.cuda.device_count()
    index = rank % per_node
    torch.cuda.set_device(index)
    return torch.device("cuda", index)


def join():
    os.environ["RANK"] = os.environ["OMPI_COMM_WORLD_RANK"]
    os.environ["WORLD_SIZE"] = os.environ["OMPI_COMM_WORLD_SIZE"]
    dist.init_process_group("nccl", init_method="env://")


def main():
    device = pick_device()
    join()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv1d(1, 8, 5), nn.BatchNorm1d(8), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(8, 2))
    model = DDP(net.to(device), device_ids=[device.index], output_device=device.index)
    opt = torch.optim.AdamW(model.parameters())
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(2048, 1, 64, generator=g), torch.randint(0, 2, (2048,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, num_workers=os.cpu_count() // torch.cuda.device_count(), drop_last=True)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "wave.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
