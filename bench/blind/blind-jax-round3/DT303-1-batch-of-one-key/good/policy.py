import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import struct


class Policy(nn.Module):
    actions: int = 3

    @nn.compact
    def __call__(self, obs):
        return nn.Dense(self.actions)(nn.tanh(nn.Dense(32)(obs)))


@struct.dataclass
class Actor:
    params: dict
    opt_state: optax.OptState


def make_actor(policy, tx, key, obs_dim):
    (init_key,) = jax.random.split(key, 1)
    params = policy.init(init_key, jnp.zeros((1, obs_dim)))
    return Actor(params=params, opt_state=tx.init(params))
