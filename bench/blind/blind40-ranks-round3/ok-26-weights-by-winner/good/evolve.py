import torch
import torch.distributed as dist
import torch.nn as nn

from tournament import Tournament


def fitness(net, x, y):
    with torch.no_grad():
        return -nn.functional.mse_loss(net(x), y).item()


def main(rounds=200):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(300 + rank)
    net = nn.Sequential(nn.Linear(3, 24), nn.Tanh(), nn.Linear(24, 1))
    x = torch.randn(128, 3, generator=torch.Generator().manual_seed(0))
    y = (x[:, :1] * x[:, 1:2]).cos()
    tournament = Tournament(net, seed=900 + rank)
    for number in range(rounds):
        winner, best = tournament.round(fitness(net, x, y))
        if number % 50 == 0 and rank == winner:
            print(f"round {number}: rank {rank} leads with {best:.4f}")
    if rank == 0:
        torch.save(net.state_dict(), "evolved.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
