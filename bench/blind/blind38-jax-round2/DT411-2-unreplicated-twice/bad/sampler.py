import jax
import jax.numpy as jnp
from flax import jax_utils


class Sampler:
    """Draws from the model's own distribution with plain jit on one device."""

    def __init__(self, apply_fn, length):
        self.length = length
        self.next_logits = jax.jit(lambda params, seq: apply_fn({"params": params}, seq)[:, -1])

    def __call__(self, params, key, n):
        params = jax_utils.unreplicate(params)
        seq = jnp.zeros((n, 1), jnp.int32)
        for step_key in jax.random.split(key, self.length):
            token = jax.random.categorical(step_key, self.next_logits(params, seq))
            seq = jnp.concatenate([seq, token[:, None]], axis=1)
        return seq[:, 1:]
