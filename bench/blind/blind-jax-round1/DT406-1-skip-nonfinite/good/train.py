import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from safe_update import guarded_update

AXIS = "replica"


def loss_fn(params, x, y):
    return jnp.mean((jnp.exp(x @ params["w"]) @ params["v"] - y) ** 2)


def make_step(tx):
    @functools.partial(jax.pmap, axis_name=AXIS)
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        params, opt_state, applied = guarded_update(tx, params, opt_state, grads, AXIS)
        metrics = {"loss": jax.lax.pmean(loss, AXIS), "applied": applied}
        return params, opt_state, metrics

    return step


def main(steps=20):
    n = jax.local_device_count()
    k1, k2 = jax.random.split(jax.random.PRNGKey(0))
    params = {"w": jax.random.normal(k1, (8, 16)) * 0.1, "v": jax.random.normal(k2, (16,)) * 0.1}
    tx = optax.adam(1e-3)
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    step = make_step(tx)
    rng = np.random.default_rng(0)
    skipped = 0
    for _ in range(steps):
        x = rng.standard_cauchy(size=(n, 16, 8)).astype(np.float32)
        params, opt_state, metrics = step(params, opt_state, x, np.tanh(x).sum(-1))
        skipped += int(not metrics["applied"][0])
    print("loss", float(metrics["loss"][0]), "skipped", skipped)


if __name__ == "__main__":
    main()
