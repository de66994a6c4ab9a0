import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, linen as nn
from flax.training.train_state import TrainState

from ms.opt import optimizer


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.tanh(nn.Dense(16)(x)))[..., 0]


@functools.partial(jax.pmap, axis_name="d", donate_argnums=(0,))
def step(state, x):
    def loss_fn(params):
        return jnp.mean((state.apply_fn({"params": params}, x) - x.sum(-1)) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "d")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "d")


def main(steps=40):
    model = Net()
    params = model.init(jax.random.key(0), jnp.zeros((1, 4)))["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optimizer(1e-3, 4)))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        state, loss = step(state, rng.normal(size=(jax.local_device_count(), 8, 4)).astype(np.float32))
    print(float(loss[0]))


if __name__ == "__main__":
    main()
