import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


def simulate(seed, n=10000):
    rng = np.random.default_rng(seed)
    return float((rng.random((n, 2)) ** 2).sum(axis=1).__le__(1.0).mean() * 4)


def master():
    values = [simulate(0)]
    for source in range(1, comm.Get_size()):
        values.append(comm.recv(source=source, tag=7))
    print("pi is about", np.mean(values))


def worker():
    value = simulate(comm.Get_rank())
    comm.send(value, dest=comm.Get_rank() - 1, tag=7)


if __name__ == "__main__":
    if comm.Get_rank() == 0:
        master()
    else:
        worker()
    comm.Barrier()
