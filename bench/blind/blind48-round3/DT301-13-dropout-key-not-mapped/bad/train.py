import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState


class Mlp(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.relu(nn.Dense(64)(x))
        x = nn.Dropout(0.2, deterministic=not train)(x)
        return nn.Dense(1)(x)[..., 0]


@functools.partial(jax.pmap, axis_name="batch", in_axes=(0, 0, 0, None))
def train_step(state, x, y, key):
    def loss_fn(params):
        out = state.apply_fn({"params": params}, x, train=True, rngs={"dropout": key})
        return jnp.mean((out - y) ** 2)

    grads = jax.lax.pmean(jax.grad(loss_fn)(state.params), "batch")
    return state.apply_gradients(grads=grads)


def main(steps=50):
    init_key, drop_key = jax.random.split(jax.random.PRNGKey(0))
    model = Mlp()
    params = model.init(init_key, jnp.zeros((1, 8)), train=False)["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3)))
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = rng.normal(size=(n, 32, 8)).astype(np.float32)
        key = jax.random.fold_in(drop_key, i)
        state = train_step(state, x, x[..., 0], key)


if __name__ == "__main__":
    main()
