import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx = optax.lamb(1e-3)


def leading(batch, n):
    return jax.tree.map(lambda leaf: leaf.reshape((n, leaf.shape[0] // n) + leaf.shape[1:]), batch)


def host_rows(n, seed):
    rng = np.random.default_rng(seed)
    while True:
        x = rng.normal(size=(n, 14)).astype(np.float32)
        yield {"x": x, "y": np.tanh(x[:, 0])}


def step(params, opt_state, batch):
    def loss_fn(p):
        return jnp.mean((batch["x"] @ p["w"] + p["b"] - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    grads = jax.lax.pmean(grads, "hosts_and_chips")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "hosts_and_chips")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--per-host-batch", type=int, default=256)
    parser.add_argument("--steps", type=int, default=500)
    args = parser.parse_args()
    jax.distributed.initialize()
    chips = jax.device_count()
    params = {"w": jnp.zeros(14), "b": jnp.zeros(())}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_step = jax.pmap(step, axis_name="hosts_and_chips")
    rows = host_rows(args.per_host_batch, seed=jax.process_index())
    for _ in range(args.steps):
        params, opt_state, loss = p_step(params, opt_state, leading(next(rows), chips))
    if jax.process_index() == 0:
        print(float(loss[0]))


if __name__ == "__main__":
    main()
