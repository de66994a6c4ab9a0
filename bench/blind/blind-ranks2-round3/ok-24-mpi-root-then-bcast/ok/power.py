"""Power iteration on a matrix whose rows are split among MPI processes."""

import numpy as np
from mpi4py import MPI


def block(n, rank, size, seed=3):
    matrix = np.random.default_rng(seed).normal(size=(n, n))
    matrix = matrix @ matrix.T
    per_rank = n // size
    return matrix[rank * per_rank : (rank + 1) * per_rank]


def iterate(comm, rows, turns):
    n = rows.shape[1]
    vector = np.ones(n) if comm.Get_rank() == 0 else None
    vector = comm.bcast(vector, root=0)
    value = None
    for _ in range(turns):
        parts = comm.gather(rows @ vector, root=0)
        if comm.Get_rank() == 0:
            product = np.concatenate(parts)
            value = np.linalg.norm(product)
            vector = product / value
        vector = comm.bcast(vector, root=0)
    return comm.bcast(value, root=0), vector


def main():
    comm = MPI.COMM_WORLD
    rows = block(64, comm.Get_rank(), comm.Get_size())
    value, vector = iterate(comm, rows, 50)
    if not comm.Get_rank():
        print(f"largest eigenvalue {value:.3f}")
        np.save("vector.npy", vector)


if __name__ == "__main__":
    main()
