import equinox as eqx
import jax
import jax.numpy as jnp


class AutoEncoder(eqx.Module):
    enc: eqx.nn.MLP
    dec: eqx.nn.MLP

    def __init__(self, size, code, key):
        enc_key, dec_key = jax.random.split(key, 3)
        self.enc = eqx.nn.MLP(size, code, 32, 1, key=enc_key)
        self.dec = eqx.nn.MLP(code, size, 32, 1, key=dec_key)

    def __call__(self, x):
        return self.dec(jnp.tanh(self.enc(x)))
