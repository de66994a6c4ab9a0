"""k-means over rows that are split among MPI processes."""

import numpy as np
from mpi4py import MPI


class KMeans:
    def __init__(self, comm, clusters, seed=0):
        self.comm, self.clusters = comm, clusters
        self.rng = np.random.default_rng(seed)
        self.centres = None

    def _start(self, rows):
        chosen = None
        if self.comm.rank == 0:
            chosen = rows[self.rng.choice(len(rows), self.clusters, replace=False)]
        self.centres = self.comm.bcast(chosen, root=0)

    def _assign(self, rows):
        distance = ((rows[:, None, :] - self.centres[None]) ** 2).sum(axis=2)
        return distance.argmin(axis=1), distance.min(axis=1).sum()

    def fit(self, rows, turns=10):
        self._start(rows)
        inertia = []
        for _ in range(turns):
            nearest, cost = self._assign(rows)
            sums = np.zeros_like(self.centres)
            np.add.at(sums, nearest, rows)
            counts = np.bincount(nearest, minlength=self.clusters).astype(float)
            sums = self.comm.allreduce(sums, op=MPI.SUM)
            counts = self.comm.allreduce(counts, op=MPI.SUM)
            self.centres = sums / np.maximum(counts, 1.0)[:, None]
            inertia.append(self.comm.allreduce(cost, op=MPI.SUM))
        return inertia


def main():
    comm = MPI.COMM_WORLD
    rows = np.random.default_rng(100 + comm.rank).normal(size=(500, 3)) + 4 * (comm.rank % 2)
    model = KMeans(comm, clusters=4)
    inertia = model.fit(rows)
    if comm.rank == 0:
        print(f"inertia {inertia[0]:.1f} -> {inertia[-1]:.1f}")
        np.save("centres.npy", model.centres)


if __name__ == "__main__":
    main()
