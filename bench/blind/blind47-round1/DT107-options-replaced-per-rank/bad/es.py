"""Evolution strategies: all ranks hold the same centre, each draws its own antithetic pairs."""
import torch
import torch.distributed as dist

from comms import Channel


def fitness(weights):
    return -(weights - 1).pow(2).sum()


def main(generations=20, pairs=8, sigma=0.1, lr=0.05):
    channel = Channel.open()
    centre = channel.share(torch.zeros(32))
    noise = torch.Generator().manual_seed(1000 + channel.rank)
    for generation in range(generations):
        gradient = torch.zeros_like(centre)
        for _ in range(pairs):
            eps = torch.randn(centre.shape, generator=noise)
            gradient += (fitness(centre + sigma * eps) - fitness(centre - sigma * eps)) * eps
        centre += lr * channel.mean(gradient / (2 * pairs * sigma))
        if channel.rank == 0 and generation % 5 == 0:
            print(generation, fitness(centre).item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
