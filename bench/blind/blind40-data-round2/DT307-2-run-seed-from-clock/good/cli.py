import argparse
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax import linen as nn
from jax.experimental import multihost_utils


class Regressor(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        x = nn.tanh(nn.Dense(self.width)(x))
        return nn.Dense(1)(x).squeeze(-1)


def choose_seed(requested):
    if requested is not None:
        return requested
    return int(multihost_utils.broadcast_one_to_all(np.int32(time.time())))


def build_step(model, tx):
    def step(params, opt_state, x, y):
        def loss_fn(p):
            return jnp.mean(jnp.abs(model.apply(p, x) - y))

        loss, grads = jax.value_and_grad(loss_fn)(params)
        grads = jax.lax.pmean(grads, "b")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "b")

    return jax.pmap(step, axis_name="b", donate_argnums=(0, 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int)
    parser.add_argument("--steps", type=int, default=500)
    args = parser.parse_args()
    jax.distributed.initialize()
    seed = choose_seed(args.seed)
    if jax.process_index() == 0:
        print("seed", seed)
    model, tx = Regressor(64), optax.adamw(1e-3)
    params = model.init(jax.random.key(seed), jnp.zeros((1, 9)))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    step = build_step(model, tx)
    rng = np.random.default_rng([99, jax.process_index()])
    n = jax.local_device_count()
    for i in range(args.steps):
        x = rng.normal(size=(n, 32, 9)).astype(np.float32)
        params, opt_state, loss = step(params, opt_state, x, np.sin(x).sum(-1))
    if jax.process_index() == 0:
        print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
