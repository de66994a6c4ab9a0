import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Ring(IterableDataset):
    """Goes round for ever; every (rank, worker) has every n-th window."""

    def __init__(self, signal, window, seed):
        self.signal, self.window, self.seed = signal, window, seed

    def lane(self):
        info = get_worker_info()
        workers = info.num_workers if info is not None else 1
        worker = info.id if info is not None else 0
        rank = int(os.environ.get("RANK", 0))
        return rank * workers + worker, int(os.environ.get("WORLD_SIZE", 1)) * workers

    def __iter__(self):
        lane, lanes = self.lane()
        turn = 0
        while True:
            g = torch.Generator().manual_seed(self.seed + turn)
            order = torch.randperm(len(self.signal) - self.window, generator=g)
            for start in order[lane::lanes].tolist():
                part = self.signal[start : start + self.window + 1]
                yield part[:-1], part[-1]
            turn += 1


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def main(steps=40, report=10):
    device = start()
    signal = torch.sin(torch.arange(2000) / 7)
    loader = DataLoader(Ring(signal, 16, seed=5), batch_size=8, num_workers=1)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1)).to(device))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    running = torch.zeros((), device=device)
    for step, (x, y) in zip(range(1, steps + 1), loader):
        loss = F.mse_loss(model(x.to(device))[:, 0], y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.detach()
        if step % report == 0:
            dist.all_reduce(running)
            if dist.get_rank() == 0:
                print(step, running.item() / report / dist.get_world_size())
            running.zero_()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
