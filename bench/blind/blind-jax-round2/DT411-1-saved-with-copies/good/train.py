import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from checkpoints import Pickled

TX = optax.adam(1e-3)


def step(params, opt_state, x):
    def loss_fn(p):
        return jnp.mean((jnp.sin(x @ p["w"]) @ p["v"] - x.sum(-1)) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    loss, grads = jax.lax.pmean((loss, grads), "n")
    updates, opt_state = TX.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--directory", default="run")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--save-every", type=int, default=10)
    args = parser.parse_args()
    k1, k2 = jax.random.split(jax.random.PRNGKey(0))
    params = {"w": jax.random.normal(k1, (4, 16)), "v": jax.random.normal(k2, (16,)) * 0.1}
    store = Pickled(args.directory)
    first, (params, opt_state) = store.restore(0, (params, TX.init(params)))
    params, opt_state = jax_utils.replicate((params, opt_state))
    p_step = jax.pmap(step, axis_name="n", donate_argnums=(0, 1))
    rng = np.random.default_rng(first)
    for i in range(first, args.steps):
        x = rng.normal(size=(jax.local_device_count(), 8, 4)).astype(np.float32)
        params, opt_state, loss = p_step(params, opt_state, x)
        if (i + 1) % args.save_every == 0:
            store.save(i + 1, jax_utils.unreplicate((params, opt_state)))
            print(i + 1, float(loss[0]))


if __name__ == "__main__":
    main()
