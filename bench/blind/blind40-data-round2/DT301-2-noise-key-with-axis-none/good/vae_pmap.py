import dataclasses
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import optax


@dataclasses.dataclass(frozen=True)
class HParams:
    latent: int = 8
    batch: int = 256
    lr: float = 1e-3
    steps: int = 400


class VAE(eqx.Module):
    enc: eqx.nn.MLP
    dec: eqx.nn.MLP

    def __init__(self, dim, latent, key):
        k_enc, k_dec = jr.split(key)
        self.enc = eqx.nn.MLP(dim, 2 * latent, 64, 1, key=k_enc)
        self.dec = eqx.nn.MLP(latent, dim, 64, 1, key=k_dec)

    def elbo(self, x, key):
        mean, log_std = jnp.split(self.enc(x), 2)
        z = mean + jnp.exp(log_std) * jr.normal(key, mean.shape)
        kl = 0.5 * jnp.sum(mean**2 + jnp.exp(2 * log_std) - 1 - 2 * log_std)
        return jnp.sum((self.dec(z) - x) ** 2) + kl


def batch_loss(params, static, x, key):
    model = eqx.combine(params, static)
    keys = jr.split(key, x.shape[0])
    return jnp.mean(jax.vmap(model.elbo)(x, keys))


def make_update(static, tx):
    @partial(jax.pmap, axis_name="p", in_axes=(None, None, 0, None), out_axes=(None, None, None))
    def update(params, opt_state, x, key):
        key = jr.fold_in(key, jax.lax.axis_index("p"))
        loss, grads = jax.value_and_grad(batch_loss)(params, static, x, key)
        loss, grads = jax.lax.pmean((loss, grads), "p")
        updates, opt_state = tx.update(grads, opt_state)
        return eqx.apply_updates(params, updates), opt_state, loss

    return update


def main(hp=HParams()):
    model_key, noise_key = jr.split(jr.key(21))
    params, static = eqx.partition(VAE(30, hp.latent, model_key), eqx.is_inexact_array)
    tx = optax.adam(hp.lr)
    opt_state = tx.init(params)
    update = make_update(static, tx)
    rng = np.random.default_rng(0)
    mix = rng.normal(size=(5, 30))
    n = jax.local_device_count()
    for i in range(hp.steps):
        x = (rng.normal(size=(hp.batch, 5)) @ mix).astype(np.float32).reshape(n, -1, 30)
        params, opt_state, loss = update(params, opt_state, x, jr.fold_in(noise_key, i))
        if i % 100 == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
