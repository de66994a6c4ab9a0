import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from layers import block


def make_mesh(tp):
    devices = np.asarray(jax.devices()).reshape(-1, tp)
    return Mesh(devices, axis_names=("data", "tp"))


def init(key, depth, width):
    def one(k):
        k_up, k_down = jax.random.split(k)
        return {"up": jax.random.normal(k_up, (width, 4 * width)) / width**0.5, "down": jax.random.normal(k_down, (4 * width, width)) / (4 * width) ** 0.5}

    return [one(k) for k in jax.random.split(key, depth)]


def loss_fn(params, x):
    y = x
    for layer in params:
        y = block(layer, y)
    return jnp.mean((y - jnp.roll(x, 1, axis=1)) ** 2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tp", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20)
    args = parser.parse_args()
    mesh = make_mesh(args.tp)
    layer_specs = {"up": P(None, "tp"), "down": P("tp", None)}
    params = init(jax.random.key(0), depth=3, width=32)
    params = [{name: jax.device_put(w, NamedSharding(mesh, layer_specs[name])) for name, w in layer.items()} for layer in params]
    tx = optax.adam(1e-3)
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, x):
        loss, grads = jax.value_and_grad(loss_fn)(params, x)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(0)
    with mesh:
        for i in range(args.steps):
            x = jax.device_put(rng.normal(size=(8, 16, 32)).astype(np.float32), NamedSharding(mesh, P("data")))
            params, opt_state, loss = step(params, opt_state, x)
            print(i, float(loss))


if __name__ == "__main__":
    main()
