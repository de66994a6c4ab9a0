"""Evolution strategies with torch: each rank tries its own perturbations; only the seeds' rewards are gathered."""
import argparse

import torch
import torch.distributed as dist


def reward(theta, task):
    return -((theta - task) ** 2).sum().item() + 0.1 * torch.sin(3 * theta).sum().item()


def noise_for(seed, size):
    return torch.randn(size, generator=torch.Generator().manual_seed(seed))


def seeds_of(iteration, rank, world_size, pairs, base):
    """Numbers that no other rank and iteration has."""
    return [base + (iteration * world_size + rank) * pairs + pair for pair in range(pairs)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--pairs", type=int, default=16)
    parser.add_argument("--iterations", type=int, default=500)
    parser.add_argument("--base", type=int, default=12345)
    args = parser.parse_args()

    dist.init_process_group("gloo")
    rank, world_size = dist.get_rank(), dist.get_world_size()
    task = torch.linspace(-1, 1, args.size)
    theta = torch.zeros(args.size)
    for iteration in range(args.iterations):
        step = torch.zeros(args.size)
        for seed in seeds_of(iteration, rank, world_size, args.pairs, args.base):
            noise = noise_for(seed, args.size)
            gain = reward(theta + 0.1 * noise, task) - reward(theta - 0.1 * noise, task)
            step += gain * noise
        dist.all_reduce(step)
        theta += 0.01 * step / (args.pairs * world_size)
        if iteration % 100 == 0 and rank == 0:
            print(iteration, reward(theta, task))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
