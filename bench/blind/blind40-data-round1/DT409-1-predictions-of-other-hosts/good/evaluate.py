"""Evaluate a flax.nnx model over the global mesh and write the predictions from host 0."""
import argparse

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax.experimental import mesh_utils, multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Scorer(nnx.Module):
    def __init__(self, rngs):
        self.hidden = nnx.Linear(64, 128, rngs=rngs)
        self.head = nnx.Linear(128, 5, rngs=rngs)

    def __call__(self, x):
        return self.head(nnx.relu(self.hidden(x)))


def host_rows(path, rows):
    """This host's consecutive part of the test set, cut to whole batches."""
    table = np.load(path, mmap_mode="r")
    per_host = len(table) // jax.process_count() // rows * rows
    start = jax.process_index() * per_host
    for offset in range(start, start + per_host, rows):
        yield np.asarray(table[offset : offset + rows], dtype=np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", required=True)
    parser.add_argument("--out", default="predictions.npy")
    parser.add_argument("--rows", type=int, default=256, help="rows of one host in a batch")
    args = parser.parse_args()

    jax.distributed.initialize()
    mesh = Mesh(mesh_utils.create_device_mesh((jax.device_count(),)), ("batch",))
    by_row = NamedSharding(mesh, P("batch"))
    model = Scorer(nnx.Rngs(0))
    graph, weights = nnx.split(model)
    weights = jax.device_put(weights, NamedSharding(mesh, P()))

    @jax.jit
    def score(weights, x):
        logits = nnx.merge(graph, weights)(x)
        return jnp.argmax(logits, axis=-1)

    found = []
    for local in host_rows(args.table, args.rows):
        x = jax.make_array_from_process_local_data(by_row, local)
        labels = score(weights, x)
        found.append(multihost_utils.process_allgather(labels, tiled=True))
    if jax.process_index() == 0:
        np.save(args.out, np.concatenate(found))
    multihost_utils.sync_global_devices("predictions written")


if __name__ == "__main__":
    main()
