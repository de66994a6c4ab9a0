"""Collects the predictions of a sharded evaluation on every host."""
import argparse
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def load_weights(path, sharding):
    with np.load(path) as archive:
        return jax.device_put({name: archive[name] for name in archive.files}, sharding)


@jax.jit
def predict(weights, x):
    hidden = jax.nn.gelu(x @ weights["w0"] + weights["b0"])
    return jax.nn.sigmoid(hidden @ weights["w1"] + weights["b1"])[:, 0]


class Evaluation:
    def __init__(self, mesh, weights, batch, rounds):
        self.rounds = rounds
        self.rows = NamedSharding(mesh, P("batch"))
        self.weights = weights
        self.per_host = batch // jax.process_count()
        self.scores = []
        self.labels = []

    def slices(self, x, y):
        for i in range(self.rounds):
            start = i * self.per_host
            yield x[start : start + self.per_host], y[start : start + self.per_host]

    def feed(self, x, y):
        for x_part, y_part in self.slices(x, y):
            batch = jax.make_array_from_process_local_data(self.rows, x_part)
            scores = predict(self.weights, batch)
            self.scores.append(multihost_utils.process_allgather(scores, tiled=True))
            self.labels.append(multihost_utils.process_allgather(y_part, tiled=True))

    def report(self):
        scores, labels = np.concatenate(self.scores), np.concatenate(self.labels)
        order = np.argsort(-scores)
        hits = np.cumsum(labels[order]) / np.arange(1, len(order) + 1)
        return float((hits * labels[order]).sum() / max(1, labels.sum()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", type=pathlib.Path)
    parser.add_argument("shards", type=pathlib.Path)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=25, help="whole batches in each part")
    args = parser.parse_args()

    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("batch",))
    weights = load_weights(args.weights, NamedSharding(mesh, P()))
    part = np.load(args.shards / f"part-{jax.process_index():03d}-of-{jax.process_count():03d}.npz")
    evaluation = Evaluation(mesh, weights, args.batch, args.rounds)
    evaluation.feed(part["x"].astype(np.float32), part["y"].astype(np.int32))
    score = evaluation.report()
    if jax.process_index() == 0:
        print("average precision", score)


if __name__ == "__main__":
    main()
