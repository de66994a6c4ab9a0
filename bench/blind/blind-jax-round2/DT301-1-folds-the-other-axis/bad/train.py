import argparse
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from layout import Layout, place


def mlp(params, x, key):
    """Columns of `up` and rows of `down` lie on the model axis."""
    h = jax.nn.gelu(x @ params["up"])
    key = jax.random.fold_in(key, lax.axis_index("model"))
    keep = jax.random.bernoulli(key, 0.9, h.shape)
    h = jnp.where(keep, h / 0.9, 0.0)
    return lax.psum(h @ params["down"], "model")


def build_loss(mesh):
    specs = {"up": P(None, "model"), "down": P("model", None)}

    @functools.partial(
        jax.shard_map, mesh=mesh, in_specs=(specs, P("data"), P("data"), P()), out_specs=P()
    )
    def loss(params, x, y, key):
        error = mlp(params, x, key)[:, 0] - y
        return lax.pmean(jnp.mean(error**2), "data")

    return loss, specs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--model-parallel", type=int, default=2)
    args = parser.parse_args()
    n = jax.device_count()
    mesh = Layout(n // args.model_parallel, args.model_parallel).mesh()
    loss, specs = build_loss(mesh)
    k_up, k_down, k_run = jax.random.split(jax.random.key(1), 3)
    params = {"up": 0.2 * jax.random.normal(k_up, (8, 32)), "down": 0.2 * jax.random.normal(k_down, (32, 1))}
    params = {name: place(mesh, value, specs[name]) for name, value in params.items()}

    @jax.jit
    def step(params, x, y, key):
        value, grads = jax.value_and_grad(loss)(params, x, y, key)
        return jax.tree.map(lambda p, g: p - 0.05 * g, params, grads), value

    rng = np.random.default_rng(0)
    for i in range(args.steps):
        x = rng.normal(size=(64, 8)).astype(np.float32)
        x, y = place(mesh, (x, x.sum(-1)), P("data"))
        params, value = step(params, x, y, jax.random.fold_in(k_run, i))
    print("loss", float(value))


if __name__ == "__main__":
    main()
