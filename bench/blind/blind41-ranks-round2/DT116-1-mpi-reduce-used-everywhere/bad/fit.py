import numpy as np
from mpi4py import MPI


class Line:
    def __init__(self, comm, rows):
        self.comm = comm
        rng = np.random.default_rng(comm.rank)
        self.x = rng.normal(size=rows)
        self.y = 2.5 * self.x + 0.1 * rng.normal(size=rows)
        self.slope = 0.0

    def error(self):
        mine = float(((self.slope * self.x - self.y) ** 2).mean())
        return self.comm.reduce(mine, op=MPI.SUM, root=0) / self.comm.size

    def step(self, rate):
        grad = 2 * float(((self.slope * self.x - self.y) * self.x).mean())
        self.slope -= rate * self.comm.allreduce(grad, op=MPI.SUM) / self.comm.size


def main(steps=60):
    comm = MPI.COMM_WORLD
    line = Line(comm, 500)
    rate = 0.3
    previous = float("inf")
    for _ in range(steps):
        line.step(rate)
        error = line.error()
        if error > previous:
            rate *= 0.5
        previous = error
    if comm.rank == 0:
        print(line.slope, rate)


if __name__ == "__main__":
    main()
