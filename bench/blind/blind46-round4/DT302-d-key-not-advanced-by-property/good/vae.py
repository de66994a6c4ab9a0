import jax
import jax.numpy as jnp
import numpy as np
import optax

from rng import KeySource


def dense(key, n_in, n_out):
    return jax.random.normal(key, (n_in, n_out)) / jnp.sqrt(n_in)


def init(keys, dim=8, latent=2, hidden=32):
    return {
        "enc": dense(keys.next_key(), dim, hidden),
        "mu": dense(keys.next_key(), hidden, latent),
        "logvar": dense(keys.next_key(), hidden, latent),
        "dec": dense(keys.next_key(), latent, dim),
    }


def loss_fn(params, x, key):
    h = jnp.tanh(x @ params["enc"])
    mu, logvar = h @ params["mu"], h @ params["logvar"]
    z = mu + jnp.exp(0.5 * logvar) * jax.random.normal(key, mu.shape)
    kl = -0.5 * jnp.mean(1 + logvar - mu**2 - jnp.exp(logvar))
    return jnp.mean((z @ params["dec"] - x) ** 2) + kl


def main(steps=50):
    keys = KeySource(0)
    params = init(keys)
    tx = optax.adam(1e-3)
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, x, key):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, key)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(64, 8)).astype(np.float32)
        params, opt_state, loss = step(params, opt_state, x, keys.next_key())
    print(float(loss))


if __name__ == "__main__":
    main()
