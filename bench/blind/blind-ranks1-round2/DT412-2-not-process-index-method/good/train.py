import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax import linen as nn
from flax.training import train_state

from saving import Saver


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.tanh(nn.Dense(12)(x)))


@functools.partial(jax.pmap, axis_name="i", donate_argnums=0)
def step(state, x, y):
    def loss_fn(params):
        return jnp.square(state.apply_fn({"params": params}, x) - y).mean()

    grads = jax.lax.pmean(jax.grad(loss_fn)(state.params), "i")
    return state.apply_gradients(grads=grads)


def main(steps=20):
    jax.distributed.initialize()
    net = Net()
    params = net.init(jax.random.PRNGKey(0), jnp.ones((1, 3)))["params"]
    state = train_state.TrainState.create(apply_fn=net.apply, params=params, tx=optax.sgd(0.1))
    state = jax_utils.replicate(state)
    save = Saver("ckpt", every=10)
    rng = np.random.default_rng([0, jax.process_index()])
    for number in range(1, steps + 1):
        x = rng.normal(size=(jax.local_device_count(), 8, 3)).astype(np.float32)
        state = step(state, x, x.sum(-1, keepdims=True))
        save(state, number)


if __name__ == "__main__":
    main()
