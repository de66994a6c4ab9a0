"""Least squares over rows that are spread over the ranks, by gradient descent."""
import argparse
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass
class Problem:
    a: torch.Tensor
    b: torch.Tensor

    @classmethod
    def rows_of(cls, rank, rows, width):
        g = torch.Generator().manual_seed(500 + rank)
        a = torch.randn(rows, width, generator=g)
        truth = torch.linspace(-1, 1, width)
        return cls(a, a @ truth + 0.01 * torch.randn(rows, generator=g))

    def gradient(self, w):
        return self.a.T @ (self.a @ w - self.b)

    def residual(self, w):
        return (self.a @ w - self.b).square().sum()


def solve(problem, width, rows, tolerance, limit, lr=0.1):
    world = dist.get_world_size()
    w = torch.zeros(width)
    turn = 0
    error = problem.residual(w)
    dist.all_reduce(error)
    while error > tolerance * rows * world and turn < limit:
        grad = problem.gradient(w)
        dist.all_reduce(grad)
        w -= lr * grad / (rows * world)
        error = problem.residual(w)
        dist.all_reduce(error)
        turn += 1
    return w, turn


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rows", type=int, default=256)
    ap.add_argument("--width", type=int, default=16)
    ap.add_argument("--tolerance", type=float, default=2e-4)
    ap.add_argument("--limit", type=int, default=2000)
    args = ap.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    problem = Problem.rows_of(rank, args.rows, args.width)
    w, turns = solve(problem, args.width, args.rows, args.tolerance, args.limit)
    if rank == 0:
        print(f"{turns} turns")
        torch.save(w, "solution.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
