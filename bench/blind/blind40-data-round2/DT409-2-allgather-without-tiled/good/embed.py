"""Embed a corpus on all hosts and build a nearest-neighbour index on every host."""
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.multihost_utils import process_allgather
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

DIM = 128


def encoder(params, tokens):
    h = params["table"][tokens].mean(axis=1)
    z = jnp.tanh(h @ params["proj"])
    return z / jnp.linalg.norm(z, axis=-1, keepdims=True)


class Embedder:
    def __init__(self, params):
        mesh = Mesh(np.asarray(jax.devices()), ("x",))
        self.rows = NamedSharding(mesh, P("x"))
        self.params = jax.device_put(params, NamedSharding(mesh, P()))
        self.encode = jax.jit(encoder, out_shardings=self.rows)

    def __call__(self, local_tokens):
        tokens = jax.make_array_from_process_local_data(self.rows, local_tokens)
        vectors = self.encode(self.params, tokens)
        return process_allgather(vectors, tiled=True)


def local_tokens(path, rows):
    table = np.load(path, mmap_mode="r")
    share = len(table) // jax.process_count()
    mine = table[jax.process_index() * share :][:share]
    for start in range(0, share - rows + 1, rows):
        yield np.asarray(mine[start : start + rows])


def main(path):
    jax.distributed.initialize()
    k1, k2 = jax.random.split(jax.random.key(0))
    embed = Embedder({"table": jax.random.normal(k1, (32_000, DIM)), "proj": jax.random.normal(k2, (DIM, DIM)) / 11})
    rows = 64 * jax.local_device_count()
    index = np.concatenate([embed(tokens) for tokens in local_tokens(path, rows)])
    query = index[jax.process_index()]
    nearest = np.argsort(-(index @ query))[:10]
    print(jax.process_index(), nearest)


if __name__ == "__main__":
    main(sys.argv[1])
