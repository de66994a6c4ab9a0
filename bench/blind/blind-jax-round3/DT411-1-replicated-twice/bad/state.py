import jax
import jax.numpy as jnp
import optax
from flax import jax_utils, linen as nn
from flax.training.train_state import TrainState


class Mixer(nn.Module):
    @nn.compact
    def __call__(self, x):
        y = nn.Dense(x.shape[-1])(nn.gelu(nn.Dense(32)(x)))
        return nn.Dense(1)(nn.LayerNorm()(x + y))[..., 0]


def create_state(seed, lr, dim):
    net = Mixer()
    params = net.init(jax.random.PRNGKey(seed), jnp.zeros((1, dim)))["params"]
    state = TrainState.create(apply_fn=net.apply, params=params, tx=optax.adamw(lr))
    return jax_utils.replicate(state)
