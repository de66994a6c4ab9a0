import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from schedule import forward_noise, sample_time

tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))


def net(params, x, t):
    h = jnp.concatenate([x, jnp.sin(t[:, None] * params["freq"])], -1)
    return jax.nn.swish(h @ params["w"]) @ params["v"]


@functools.partial(jax.pmap, axis_name="dev", donate_argnums=(0, 1))
def update(params, opt_state, x, key):

    def loss_fn(p):
        t = sample_time(key, x.shape[0])
        noisy, eps = forward_noise(key, x, t)
        return jnp.mean((net(p, noisy, t) - eps) ** 2)

    loss, grads = jax.lax.pmean(jax.value_and_grad(loss_fn)(params), "dev")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=300, per_device=128):
    n = jax.local_device_count()
    kf, kw, kv, key = jax.random.split(jax.random.PRNGKey(9), 4)
    params = {
        "freq": jax.random.normal(kf, (16,)) * 4,
        "w": jax.random.normal(kw, (18, 128)) / 4,
        "v": jax.random.normal(kv, (128, 2)) / 11,
    }
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    rng = np.random.default_rng(0)
    for step in range(steps):
        x = rng.normal(size=(n, per_device, 2)).astype(np.float32)
        key, step_key = jax.random.split(key)
        params, opt_state, loss = update(params, opt_state, x, jax.random.split(step_key, n))
        if step % 100 == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    main()
