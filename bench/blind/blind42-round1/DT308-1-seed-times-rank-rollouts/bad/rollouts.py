"""Evolution-strategies style policy search; each rank samples its own perturbations."""
import argparse

import numpy as np
import torch
import torch.distributed as dist


def episode(theta, rng, horizon=200):
    position, velocity, total = rng.uniform(-0.1, 0.1), 0.0, 0.0
    for _ in range(horizon):
        force = np.tanh(theta[0] * position + theta[1] * velocity + theta[2])
        velocity += 0.02 * (force - position) + 0.002 * rng.normal()
        position += 0.02 * velocity
        total -= position**2
    return total


def perturbations(theta, rng, sigma, pairs):
    for _ in range(pairs):
        eps = rng.normal(size=theta.shape)
        gain = episode(theta + sigma * eps, rng) - episode(theta - sigma * eps, rng)
        yield gain * eps


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--iterations", type=int, default=100)
    ap.add_argument("--pairs", type=int, default=32)
    ap.add_argument("--sigma", type=float, default=0.1)
    args = ap.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    rng = np.random.default_rng(args.seed * rank)
    theta = np.zeros(3)
    for it in range(args.iterations):
        grad = torch.from_numpy(sum(perturbations(theta, rng, args.sigma, args.pairs)))
        dist.all_reduce(grad)
        theta = theta + 0.05 * grad.numpy() / (2 * args.sigma * args.pairs * world)
        if rank == 0 and it % 10 == 0:
            print(it, theta)
    if rank == 0:
        np.save("theta.npy", theta)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
