import json
import sys

import numpy as np
from mpi4py import MPI


class Sweep:
    def __init__(self, comm):
        self.comm = comm
        self.rank, self.size = comm.Get_rank(), comm.Get_size()

    def plan(self, path):
        grid = None
        if self.rank == 0:
            with open(path) as handle:
                grid = json.load(handle)["learning_rates"]
        grid = self.comm.bcast(grid, root=0)
        return grid or [0.1]

    def train(self, rate, steps=200):
        rng = np.random.default_rng(self.rank)
        weight = np.zeros(5)
        for _ in range(steps):
            x = rng.normal(size=(32, 5))
            grad = 2 * x.T @ (x @ weight - x.sum(axis=1)) / len(x)
            total = np.empty_like(grad)
            self.comm.Allreduce(grad, total, op=MPI.SUM)
            weight -= rate * total / self.size
        return float(np.abs(weight - 1).max())


def main(path):
    sweep = Sweep(MPI.COMM_WORLD)
    for rate in sweep.plan(path):
        error = sweep.train(rate)
        if sweep.rank == 0:
            print(rate, error)


if __name__ == "__main__":
    main(sys.argv[1])
