"""Reads the part of one host; tools may ask for the part of another host."""
import argparse

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class HostShard:
    def __init__(self, path, index=None, count=None):
        self.index = index or jax.process_index()
        self.count = count or jax.process_count()
        self.rows = np.load(path, mmap_mode="r")

    def __iter__(self):
        size = len(self.rows) // self.count
        part = self.rows[self.index * size : (self.index + 1) * size]
        batch = 16 * jax.local_device_count()
        while True:
            for at in range(0, size - batch + 1, batch):
                yield part[at : at + batch]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rows", default="rows.npy")
    ap.add_argument("--steps", type=int, default=100)
    ap.add_argument("--host", type=int, help="read the part of this host")
    ap.add_argument("--hosts", type=int)
    args = ap.parse_args()
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    by_row = NamedSharding(mesh, P("data"))
    w = jax.device_put(jnp.zeros(31), NamedSharding(mesh, P()))

    @jax.jit
    def step(w, rows):
        x, y = rows[:, :-1], rows[:, -1]
        return w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)

    for _, rows in zip(range(args.steps), HostShard(args.rows, args.host, args.hosts)):
        w = step(w, jax.make_array_from_process_local_data(by_row, rows.astype(np.float32)))
    if jax.process_index() == 0:
        np.save("w.npy", np.asarray(w))


if __name__ == "__main__":
    main()
