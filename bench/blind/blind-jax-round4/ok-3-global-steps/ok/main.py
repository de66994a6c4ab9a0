import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


class Plan:
    def __init__(self, rows, per_device, epochs):
        self.per_device = per_device
        self.global_batch = per_device * jax.device_count()
        self.host_batch = per_device * jax.local_device_count()
        self.steps = epochs * (rows // self.global_batch)

    def optimizer(self, base):
        return optax.adamw(optax.cosine_decay_schedule(base * self.global_batch / 64, self.steps))


def host_rows(table):
    count = len(table) // jax.process_count()
    first = jax.process_index() * count
    return table[first : first + count]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--per-device", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    jax.distributed.initialize()
    table = np.random.default_rng(9).normal(size=(640, 6)).astype(np.float32)
    plan = Plan(len(table), args.per_device, args.epochs)
    own, tx = host_rows(table), plan.optimizer(1e-3)

    def step(params, opt_state, x):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p - x.max(-1)) ** 2))(params)
        loss, grads = jax.lax.pmean((loss, grads), "all")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    p_step = jax.pmap(step, axis_name="all", donate_argnums=(0, 1))
    params = jnp.zeros((6,))
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    pick = np.random.default_rng([2, jax.process_index()])
    for i in range(plan.steps):
        x = own[pick.choice(len(own), plan.host_batch, replace=False)]
        params, opt_state, loss = p_step(params, opt_state, x.reshape(jax.local_device_count(), -1, 6))
    if jax.process_index() == 0:
        print("loss", float(loss[0]), "of", plan.steps, "steps")


if __name__ == "__main__":
    main()
