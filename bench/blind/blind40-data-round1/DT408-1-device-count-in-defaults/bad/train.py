import argparse
import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from settings import RunSettings


def connect():
    jax.distributed.initialize(
        coordinator_address=os.environ["COORDINATOR_ADDRESS"],
        num_processes=int(os.environ["NUM_PROCESSES"]),
        process_id=int(os.environ["PROCESS_ID"]),
    )


def fit(settings):
    tx = optax.adam(settings.lr)

    def step(params, opt_state, x):
        def loss_fn(p):
            return jnp.mean((jnp.tanh(x @ p["enc"]) @ p["dec"] - x) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(params)
        loss, grads = jax.lax.pmean((loss, grads), "all")
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    p_step = jax.pmap(step, axis_name="all")
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"enc": jax.random.normal(k1, (32, 8)) / 6, "dec": jax.random.normal(k2, (8, 32)) / 3}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng([1, jax.process_index()])
    loss = None
    for _ in range(settings.steps):
        x = rng.normal(size=(settings.local_rows, 32)).astype(np.float32)
        params, opt_state, loss = p_step(params, opt_state, x.reshape(settings.chips, -1, 32))
    return float(loss[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    args = parser.parse_args()
    connect()
    loss = fit(RunSettings(steps=args.steps))
    if jax.process_index() == 0:
        print("final loss", loss)


if __name__ == "__main__":
    main()
