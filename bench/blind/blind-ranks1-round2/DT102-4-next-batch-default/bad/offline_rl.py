import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from stream import TrajectoryStore


class Dynamics(nn.Module):
    def __init__(self, dim=6, hidden=32):
        super().__init__()
        self.cell = nn.GRUCell(dim, hidden)
        self.out = nn.Linear(hidden, dim)

    def forward(self, steps):
        h = steps.new_zeros(len(steps), self.cell.hidden_size)
        guesses = []
        for t in range(steps.shape[1] - 1):
            h = self.cell(steps[:, t], h)
            guesses.append(self.out(h))
        return torch.stack(guesses, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trajectories", type=int, default=129)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    store = TrajectoryStore(args.trajectories, rank, world)
    model = DDP(Dynamics().to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(args.epochs):
        for steps in store.minibatches(args.batch_size):
            steps = steps.to(device)
            loss = nn.functional.mse_loss(model(steps), steps[:, 1:])
            opt.zero_grad()
            loss.backward()
            opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "dynamics.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
