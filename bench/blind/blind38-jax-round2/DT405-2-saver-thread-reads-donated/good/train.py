import argparse
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

from saving import BackgroundSaver

TX = optax.adamw(1e-3)


def loss_fn(params, x):
    return jnp.mean((jnp.tanh(x @ params["a"]) @ params["b"] - x) ** 2)


@partial(jax.jit, donate_argnums=(0, 1))
def step(params, opt_state, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    updates, opt_state = TX.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--save-every", type=int, default=50)
    parser.add_argument("--folder", default="snapshots")
    args = parser.parse_args()
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))
    k_a, k_b = jax.random.split(jax.random.key(0))
    params = {"a": jax.random.normal(k_a, (512, 1024)) / 23, "b": jax.random.normal(k_b, (1024, 512)) / 32}
    params = jax.device_put(params, whole)
    opt_state = jax.device_put(TX.init(params), whole)
    saver = BackgroundSaver(args.folder)
    rng = np.random.default_rng(0)
    for i in range(args.steps):
        x = jax.device_put(rng.normal(size=(256, 512)).astype(np.float32), rows)
        params, opt_state, loss = step(params, opt_state, x)
        if (i + 1) % args.save_every == 0:
            saver.save(i + 1, params)
            print(i + 1, float(loss))
    saver.close()


if __name__ == "__main__":
    main()
