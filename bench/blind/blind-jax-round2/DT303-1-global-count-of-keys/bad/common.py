import jax
from flax.training.common_utils import shard


def shard_keys(key):
    """One key for each device that takes part."""
    return jax.random.split(key, jax.device_count())


def to_devices(batch):
    return shard(batch)
