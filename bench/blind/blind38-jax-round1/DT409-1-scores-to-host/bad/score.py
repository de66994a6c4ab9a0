"""Scores a corpus with a frozen model over all hosts and writes one file."""
import argparse
import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental.mesh_utils import create_device_mesh
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def read_params(path):
    with np.load(path) as archive:
        return {name: archive[name] for name in archive.files}


def perplexity(params, tokens):
    x = jnp.tanh(params["embed"][tokens[:, :-1]] @ params["mix"])
    nll = optax.softmax_cross_entropy_with_integer_labels(x @ params["embed"].T, tokens[:, 1:])
    return jnp.exp(nll.mean(axis=1))


class Scorer:
    def __init__(self, params):
        self.mesh = Mesh(create_device_mesh((jax.device_count(),)), ("data",))
        self.rows = NamedSharding(self.mesh, P("data"))
        everywhere = NamedSharding(self.mesh, P())
        self.params = jax.device_put(params, everywhere)
        self._score = jax.jit(perplexity, in_shardings=(everywhere, self.rows), out_shardings=self.rows)

    def __call__(self, tokens):
        tokens = jax.make_array_from_process_local_data(self.rows, tokens)
        scores = self._score(self.params, tokens)
        return np.asarray(scores)


def host_chunks(path, per_host):
    tokens = np.load(path, mmap_mode="r")
    stride = per_host * jax.process_count()
    for start in range(0, len(tokens) // stride * stride, stride):
        at = start + per_host * jax.process_index()
        yield np.asarray(tokens[at : at + per_host])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--params", default="params.npz")
    parser.add_argument("--tokens", default="tokens.npy")
    parser.add_argument("--per-host", type=int, default=512)
    parser.add_argument("--out", default="scores.npy")
    args = parser.parse_args()
    jax.distributed.initialize()
    scorer = Scorer(read_params(args.params))
    collected = [scorer(chunk) for chunk in host_chunks(args.tokens, args.per_host)]
    if jax.process_index() == 0:
        np.save(args.out, np.concatenate(collected))
        print("wrote", os.path.abspath(args.out))


if __name__ == "__main__":
    main()
