import argparse
import functools
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from flax import linen as nn
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def on_first_process(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        if jax.process_index() == 0:
            return fn(*args, **kwargs)
        return None

    return wrapper


@on_first_process
def announce(step, loss):
    print(f"step {step}: {loss:.4f}", flush=True)


def checkpoint(manager, step, params):
    manager.save(step, args=ocp.args.StandardSave(params))


class Regressor(nn.Module):
    @nn.compact
    def __call__(self, x):
        for width in (128, 128):
            x = nn.gelu(nn.Dense(width)(x))
        return nn.Dense(1)(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--out", default="ckpt/regressor")
    args = parser.parse_args()
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    model, tx = Regressor(), optax.adamw(1e-3)
    params = jax.jit(lambda key: model.init(key, jnp.zeros((1, 6))), out_shardings=whole)(jax.random.key(0))
    state = jax.jit(tx.init, out_shardings=whole)(params)

    @jax.jit
    def step_fn(params, state, x, y):
        def loss_fn(p):
            return jnp.mean((model.apply(p, x) - y) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, state = tx.update(grads, state, params)
        return optax.apply_updates(params, updates), state, loss

    manager = ocp.CheckpointManager(Path(args.out).absolute(), options=ocp.CheckpointManagerOptions(max_to_keep=3))
    rng = np.random.default_rng(10 + jax.process_index())
    for step in range(1, args.steps + 1):
        x = rng.uniform(-1, 1, size=(32 * jax.local_device_count(), 6)).astype(np.float32)
        y = np.prod(x, axis=1, keepdims=True)
        gx = jax.make_array_from_process_local_data(rows, x)
        gy = jax.make_array_from_process_local_data(rows, y)
        params, state, loss = step_fn(params, state, gx, gy)
        if step % 100 == 0:
            announce(step, float(loss))
        if step % 500 == 0:
            checkpoint(manager, step, params)
    manager.wait_until_finished()
    manager.close()


if __name__ == "__main__":
    main()
