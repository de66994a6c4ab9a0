import jax
import jax.numpy as jnp
import optax
from flax import jax_utils
from flax.training.train_state import TrainState


def apply_fn(params, x):
    return jax.nn.relu(x @ params["w"]) @ params["v"]


def build(seed, lr):
    a, b = jax.random.split(jax.random.PRNGKey(seed))
    params = {"w": jax.random.normal(a, (7, 32)) / 3, "v": jax.random.normal(b, (32,)) / 6}
    state = TrainState.create(apply_fn=apply_fn, params=params, tx=optax.adam(lr))
    return jax_utils.replicate(state)
