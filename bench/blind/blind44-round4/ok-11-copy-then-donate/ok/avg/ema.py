import jax
import jax.numpy as jnp


class Ema:
    def __init__(self, params, decay):
        self.decay = decay
        self.params = jax.tree.map(jnp.copy, params)

    def update(self, params):
        self.params = jax.tree.map(lambda e, p: self.decay * e + (1 - self.decay) * p, self.params, params)
