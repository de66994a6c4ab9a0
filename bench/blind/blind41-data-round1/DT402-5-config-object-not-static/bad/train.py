from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


@dataclass(frozen=True)
class Loss:
    smoothing: float = 0.1
    z_weight: float = 1e-4


tx = optax.adam(1e-3)


def step(params, opt_state, x, y, cfg):
    def loss_fn(p):
        logits = x @ p
        target = optax.smooth_labels(jax.nn.one_hot(y, 7), cfg.smoothing)
        z = jax.nn.logsumexp(logits, axis=-1)
        return optax.softmax_cross_entropy(logits, target).mean() + cfg.z_weight * jnp.mean(z**2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    grads = jax.lax.pmean(grads, "dp")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "dp")


p_step = jax.pmap(step, axis_name="dp", donate_argnums=(0, 1))


def main(steps=30):
    cfg = Loss()
    params = jnp.zeros((12, 7))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(n, 16, 12)).astype(np.float32)
        y = rng.integers(0, 7, size=(n, 16))
        params, opt_state, loss = p_step(params, opt_state, x, y, cfg)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
