"""Evaluates a saved classifier on all local devices, by class or overall."""
import argparse

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils, serialization


def predict(params, x):
    return jnp.argmax(jax.nn.relu(x @ params["hidden"]) @ params["out"], -1)


def evaluate_batch(params, x, y, mode):
    hits = (predict(params, x) == y).astype(jnp.float32)
    if mode == "per_class":
        one_hot = jax.nn.one_hot(y, 10)
        return jax.lax.psum((one_hot.T @ hits, one_hot.sum(0)), "b")
    return jax.lax.psum((hits.sum(), jnp.float32(hits.size)), "b")


p_evaluate = jax.pmap(
    evaluate_batch,
    axis_name="b",
    in_axes=(0, 0, 0, None),
    static_broadcasted_argnums=(3,),
)


def load(path):
    template = {"hidden": np.zeros((784, 128), np.float32), "out": np.zeros((128, 10), np.float32)}
    with open(path, "rb") as handle:
        return serialization.from_bytes(template, handle.read())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("--by-class", action="store_true")
    args = parser.parse_args()
    mode = "per_class" if args.by_class else "overall"
    params = jax_utils.replicate(load(args.checkpoint))
    data = np.load("mnist_test.npz")
    n = jax.local_device_count()
    x = data["x"].reshape(n, -1, 784).astype(np.float32) / 255.0
    y = data["y"].reshape(n, -1)
    hits, counts = 0.0, 0.0
    for start in range(0, x.shape[1], 250):
        part = slice(start, start + 250)
        h, c = p_evaluate(params, x[:, part], y[:, part], mode)
        hits, counts = hits + np.asarray(h[0]), counts + np.asarray(c[0])
    print(mode, hits / counts)


if __name__ == "__main__":
    main()
