import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from sharding_rules import shardings

VOCAB, WIDTH = 512, 64


def init(key):
    names = {"embed": (VOCAB, WIDTH), "attn/q/kernel": (WIDTH, WIDTH), "ffn/up": (WIDTH, 4 * WIDTH), "ffn/down": (4 * WIDTH, WIDTH)}
    keys = jax.random.split(key, len(names))
    return {name: 0.05 * jax.random.normal(k, shape) for k, (name, shape) in zip(keys, names.items())}


def loss_fn(params, tokens):
    x = params["embed"][tokens[:, :-1]]
    x = x + jnp.tanh(x @ params["attn/q/kernel"])
    x = x + jax.nn.gelu(x @ params["ffn/up"]) @ params["ffn/down"]
    logits = x @ params["embed"].T
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensor-parallel", type=int, default=2)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--steps", type=int, default=50)
    args = parser.parse_args()
    grid = mesh_utils.create_device_mesh((jax.device_count() // args.tensor_parallel, args.tensor_parallel))
    mesh = Mesh(grid, axis_names=("data", "tensor"))
    params = init(jax.random.key(1))
    layout = shardings(mesh, params)
    params = jax.device_put(params, layout)
    tx = optax.adam(1e-3)
    opt_state = tx.init(params)

    @jax.jit
    def update(params, opt_state, tokens):
        loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(0)
    rows = NamedSharding(mesh, P("data"))
    for step in range(args.steps):
        tokens = jax.device_put(rng.integers(0, VOCAB, size=(args.batch, 33)), rows)
        params, opt_state, loss = update(params, opt_state, tokens)
    print(float(loss))


if __name__ == "__main__":
    main()
