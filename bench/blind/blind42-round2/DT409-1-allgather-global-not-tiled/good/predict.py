"""Scores a test set with a model sharded over all hosts; host 0 writes the scores."""
import argparse
import pickle

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@jax.jit
def score(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return jax.nn.softmax(x @ w + b)


def padded(rows, multiple):
    missing = -len(rows) % multiple
    return np.concatenate([rows, np.zeros((missing, rows.shape[1]), rows.dtype)])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--params", required=True)
    ap.add_argument("--rows", required=True)
    ap.add_argument("--out", default="scores.npy")
    args = ap.parse_args()
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("x",))
    with open(args.params, "rb") as fh:
        params = jax.device_put(pickle.load(fh), NamedSharding(mesh, P()))
    rows = np.load(args.rows)
    total = len(rows)
    rows = padded(rows, jax.device_count())
    by_row = NamedSharding(mesh, P("x"))
    x = jax.make_array_from_callback(rows.shape, by_row, lambda index: rows[index])
    scores = score(params, x)
    everything = multihost_utils.process_allgather(scores, tiled=True)
    if jax.process_index() == 0:
        np.save(args.out, np.asarray(everything)[:total])
    multihost_utils.sync_global_devices("written")


if __name__ == "__main__":
    main()
