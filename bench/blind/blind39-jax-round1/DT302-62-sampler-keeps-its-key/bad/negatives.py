import jax
import jax.numpy as jnp


class NegativeSampler:
    """Draws item ids that stand in for what a user did not click."""

    def __init__(self, key, num_items, per_positive):
        self.key = key
        self.num_items = num_items
        self.per_positive = per_positive

    def draw(self, positives):
        _, subkey = jax.random.split(self.key)
        shape = positives.shape + (self.per_positive,)
        ids = jax.random.randint(subkey, shape, 0, self.num_items)
        clash = ids == positives[..., None]
        return jnp.where(clash, (ids + 1) % self.num_items, ids)
