"""Federated-style averaging: some local steps, then the weights are averaged."""
import argparse

import torch
import torch.distributed as dist
import torch.nn as nn


def client_batches(rank, rounds, local, size):
    gen = torch.Generator().manual_seed(31 + rank)
    centre = torch.randn(1, 24, generator=gen)
    for _ in range(rounds):
        yield [centre + torch.randn(size, 24, generator=gen) for _ in range(local)]


class Averager:
    def __init__(self, net):
        self.net = net
        self.world = dist.get_world_size()

    def __call__(self):
        for parameter in self.net.parameters():
            dist.all_reduce(parameter)
            parameter.data.div_(self.world)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--local-steps", type=int, default=10)
    parser.add_argument("--lr", type=float, default=0.05)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(24, 64), nn.Softplus(), nn.Linear(64, 24))
    average = Averager(net)
    for number, batches in enumerate(client_batches(rank, args.rounds, args.local_steps, 64)):
        optimizer = torch.optim.SGD(net.parameters(), lr=args.lr)
        for x in batches:
            loss = nn.functional.mse_loss(net(x), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        average()
        if rank == 0 and number % 5 == 0:
            print(f"round {number} done", flush=True)
    if rank == 0:
        torch.save(net.state_dict(), "averaged.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
