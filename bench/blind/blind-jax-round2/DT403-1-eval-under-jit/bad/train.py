import argparse
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from objective import Encoder, variance_loss


def build(model, tx):
    def step(params, opt_state, x):
        loss, grads = jax.value_and_grad(variance_loss)(params, model, x)
        loss, grads = jax.lax.pmean((loss, grads), "data")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    train = jax.pmap(step, axis_name="data", donate_argnums=(0, 1))
    validate = jax.jit(lambda params, x: variance_loss(params, model, x))
    return train, validate


def views(rng, rows):
    return rng.normal(size=(rows, 8)).astype(np.float32) * np.linspace(0.1, 2, 8, dtype=np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--eval-every", type=int, default=10)
    args = parser.parse_args()
    n = jax.local_device_count()
    model, tx = Encoder(), optax.adam(1e-3)
    params = model.init(jax.random.PRNGKey(2), jnp.zeros((1, 8)))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    train, validate = build(model, tx)
    rng = np.random.default_rng(0)
    held_out = views(np.random.default_rng(1), 64)
    for i in range(1, args.steps + 1):
        params, opt_state, loss = train(params, opt_state, views(rng, args.batch).reshape(n, -1, 8))
        if i % args.eval_every == 0:
            held = validate(jax_utils.unreplicate(params), held_out)
            print(i, float(loss[0]), float(held))


if __name__ == "__main__":
    main()
