import argparse
import functools
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def loss_fn(params, x, y):
    for w in params["layers"]:
        x = jax.nn.relu(x @ w)
    return jnp.mean((x @ params["head"] - y) ** 2)


def init(key, width, depth):
    *layer_keys, head_key = jax.random.split(key, depth + 1)
    scale = 1 / np.sqrt(width)
    return {
        "layers": [scale * jax.random.normal(k, (width, width)) for k in layer_keys],
        "head": scale * jax.random.normal(head_key, (width, 1)),
    }


def make_step(tx):
    @functools.partial(jax.jit, donate_argnames=("params", "opt_state"))
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return step


def timed(step, params, opt_state, batches):
    x, y = next(batches)
    *_, loss = step(params, opt_state, x, y)
    loss.block_until_ready()  # compiled
    started = time.perf_counter()
    count = 0
    for x, y in batches:
        params, opt_state, loss = step(params, opt_state, x, y)
        count += 1
    loss.block_until_ready()
    return params, count / (time.perf_counter() - started), float(loss)


def stream(count, batch, width, sharding):
    draw = np.random.default_rng(0)
    for _ in range(count):
        x = draw.normal(size=(batch, width)).astype(np.float32)
        yield jax.device_put(x, sharding), jax.device_put(x.sum(-1, keepdims=True), sharding)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--steps", type=int, default=50)
    args = parser.parse_args()

    mesh = Mesh(mesh_utils.create_device_mesh((jax.device_count(),)), ("data",))
    rows, everywhere = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tx = optax.adam(1e-3)
    params = init(jax.random.key(0), args.width, args.depth)
    params, opt_state = jax.device_put((params, tx.init(params)), everywhere)
    params, rate, loss = timed(make_step(tx), params, opt_state, stream(args.steps, 256, args.width, rows))
    print(f"{rate:.1f} steps/s, loss {loss:.4f}")


if __name__ == "__main__":
    main()
