import functools
import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from hooks import Heartbeat, Report


def loss_fn(params, x, y):
    h = jnp.tanh(x @ params["w1"])
    return jnp.mean((h @ params["w2"] - y) ** 2)


def make_step(tx):
    @functools.partial(jax.pmap, axis_name="batch", donate_argnums=(0, 1))
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        grads = jax.lax.pmean(grads, "batch")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return step


def init_params(seed=0):
    k1, k2 = jax.random.split(jax.random.PRNGKey(seed))
    return {"w1": 0.1 * jax.random.normal(k1, (6, 16)), "w2": 0.1 * jax.random.normal(k2, (16, 1))}


def build_hooks():
    return [Heartbeat(), Report("metrics.jsonl")]


def main(steps=8, per_device=8):
    jax.distributed.initialize(
        os.environ["COORDINATOR"], int(os.environ["NUM_PROCESSES"]), int(os.environ["PROCESS_ID"])
    )
    tx = optax.adam(1e-2)
    params = init_params()
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    step_fn = make_step(tx)
    rng = np.random.default_rng([11, jax.process_index()])
    hooks = build_hooks()
    shape = (jax.local_device_count(), per_device)
    for step in range(1, steps + 1):
        x = rng.normal(size=(*shape, 6)).astype(np.float32)
        y = x.sum(-1, keepdims=True)
        params, opt_state, loss = step_fn(params, opt_state, x, y)
        for hook in hooks:
            hook(step, params, {"loss": np.asarray(loss).mean()})
    if jax.process_index() == 0:
        np.savez("final.npz", **jax.device_get(jax_utils.unreplicate(params)))


if __name__ == "__main__":
    main()
