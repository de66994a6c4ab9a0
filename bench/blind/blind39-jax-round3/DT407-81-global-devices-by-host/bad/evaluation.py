import jax
import jax.numpy as jnp
import numpy as np


class HostEvaluator:
    """Each host scores its own slice of the validation set on one of its devices."""

    def __init__(self, apply):
        self.device = jax.devices()[jax.process_index()]
        self._hits = jax.jit(lambda params, x, y: jnp.sum(jnp.argmax(apply(params, x), -1) == y))

    def __call__(self, params, x, y):
        params, x, y = jax.device_put((params, x, y), self.device)
        return np.array([int(self._hits(params, x, y)), len(y)])
