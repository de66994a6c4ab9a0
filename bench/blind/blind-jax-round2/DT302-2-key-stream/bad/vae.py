import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from streams import key_stream

TX = optax.adam(1e-3)


def init(keys, d=12, z=3):
    return {
        "enc": 0.2 * jax.random.normal(next(keys), (d, 2 * z)),
        "dec": 0.2 * jax.random.normal(next(keys), (z, d)),
    }


def elbo(params, x, key):
    mu, logvar = jnp.split(x @ params["enc"], 2, axis=-1)
    z = mu + jnp.exp(0.5 * logvar) * jax.random.normal(key, mu.shape)
    rec = jnp.sum((z @ params["dec"] - x) ** 2, -1)
    kl = -0.5 * jnp.sum(1 + logvar - mu**2 - jnp.exp(logvar), -1)
    return jnp.mean(rec + kl)


def step(params, opt_state, x, key):
    loss, grads = jax.value_and_grad(elbo)(params, x, key)
    loss, grads = jax.lax.pmean((loss, grads), "d")
    updates, opt_state = TX.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=20):
    n = jax.local_device_count()
    keys = key_stream(jax.random.PRNGKey(0))
    params = init(keys)
    opt_state = jax_utils.replicate(TX.init(params))
    params = jax_utils.replicate(params)
    p_step = jax.pmap(step, axis_name="d", donate_argnums=(0, 1))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(n, 16, 12)).astype(np.float32)
        params, opt_state, loss = p_step(params, opt_state, x, jax.random.split(next(keys), n))
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
