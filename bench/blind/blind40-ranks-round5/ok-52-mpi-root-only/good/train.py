import numpy as np
from mpi4py import MPI


def main(steps=100, lr=0.1, dim=8):
    comm = MPI.COMM_WORLD
    rank, size = comm.Get_rank(), comm.Get_size()
    config = comm.bcast({"lr": lr, "decay": 0.99} if rank == 0 else None, root=0)
    rng = np.random.default_rng([5, rank])
    x = rng.normal(size=(200, dim))
    y = x @ np.linspace(-1, 1, dim)
    w = np.zeros(dim)
    rate = config["lr"]
    for step in range(steps):
        residual = x @ w - y
        gradient = comm.allreduce(2 * x.T @ residual / len(x), op=MPI.SUM) / size
        w -= rate * gradient
        rate *= config["decay"]
        if step % 20 == 0:
            total = comm.reduce(float((residual**2).mean()), op=MPI.SUM, root=0)
            if rank == 0:
                print(step, total / size)
    parts = comm.gather(y[:3].tolist(), root=0)
    if rank == 0:
        np.savez("result.npz", w=w, heads=np.array(parts))
    comm.Barrier()


if __name__ == "__main__":
    main()
