import argparse

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState

from checkpointing import Store


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        for width in (64, 64):
            x = nn.silu(nn.Dense(width)(x))
        return nn.Dense(1)(x)


def new_state():
    net = Net()
    params = net.init(jax.random.PRNGKey(0), jnp.ones((1, 5)))
    return TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))


def step(state, x, y):
    def mse(params):
        return jnp.mean((state.apply_fn(params, x) - y) ** 2)

    loss, grads = jax.value_and_grad(mse)(state.params)
    grads = jax.lax.pmean(grads, axis_name="b")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, axis_name="b")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="ckpt")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()

    store = Store(args.out)
    state = new_state()
    if args.resume:
        state = store.restore(state)
    state = jax_utils.replicate(state)
    p_step = jax.pmap(step, axis_name="b")
    draw = np.random.default_rng(jax.process_index())
    n = jax.local_device_count()
    for i in range(args.steps):
        x = draw.uniform(-1, 1, size=(n, 32, 5)).astype(np.float32)
        state, loss = p_step(state, x, np.prod(x, axis=-1, keepdims=True))
        if (i + 1) % 200 == 0:
            store.save(state, i + 1)
            print(i + 1, float(loss[0]))


if __name__ == "__main__":
    main()
