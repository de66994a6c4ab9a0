import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Subset, TensorDataset


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


class Part(Subset):
    """This rank's rows of a data set."""

    def __init__(self, dataset):
        rank, world = dist.get_rank(), dist.get_world_size()
        whole = len(dataset) - len(dataset) % world
        super().__init__(dataset, range(rank, whole, world))


def load(path):
    stored = torch.load(path, map_location="cpu", weights_only=True)
    return TensorDataset(stored["x"], stored["y"])


def main():
    device = start()
    part = Part(load("table.pt"))
    loader = DataLoader(part, batch_size=10, shuffle=True)
    torch.manual_seed(0)
    model = DDP(nn.Linear(4, 1).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(3):
        for x, y in loader:
            loss = F.mse_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "part.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
