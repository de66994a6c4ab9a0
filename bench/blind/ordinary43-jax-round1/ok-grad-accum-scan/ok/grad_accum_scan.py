"""Gradient accumulation inside a pmapped step by lax.scan, one pmean at the end."""
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.jax_utils import replicate, unreplicate
from flax.training.train_state import TrainState

ACCUM = 4


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, deterministic=True):
        x = nn.relu(nn.Dense(16)(x))
        x = nn.Dropout(0.2)(x, deterministic=deterministic)
        return nn.Dense(1)(x)


def train_step(state, batch, rng):
    rng, new_rng = jax.random.split(rng)
    micro = jax.tree_util.tree_map(lambda x: x.reshape((ACCUM, -1) + x.shape[1:]), batch)

    def loss_fn(params, mb, key):
        out = state.apply_fn({"params": params}, mb["x"], deterministic=False, rngs={"dropout": key})
        return jnp.mean((out - mb["y"]) ** 2)

    def body(carry, inp):
        grads, loss = carry
        mb, key = inp
        l, g = jax.value_and_grad(loss_fn)(state.params, mb, key)
        return (jax.tree_util.tree_map(jnp.add, grads, g), loss + l), None

    zeros = jax.tree_util.tree_map(jnp.zeros_like, state.params)
    keys = jax.random.split(rng, ACCUM)
    (grads, loss), _ = jax.lax.scan(body, (zeros, 0.0), (micro, keys))
    grads = jax.tree_util.tree_map(lambda g: g / ACCUM, grads)
    grads = jax.lax.pmean(grads, axis_name="batch")
    loss = jax.lax.pmean(loss / ACCUM, axis_name="batch")
    return state.apply_gradients(grads=grads), {"loss": loss}, new_rng


p_train_step = jax.pmap(train_step, "batch", donate_argnums=(0,))


def main():
    n = jax.local_device_count()
    rng = jax.random.PRNGKey(0)
    rng, init = jax.random.split(rng)
    model = Net()
    state = replicate(TrainState.create(apply_fn=model.apply, params=model.init(init, jnp.ones((1, 8)))["params"], tx=optax.adam(1e-3)))
    rngs = jax.random.split(rng, n)
    data = np.random.default_rng(0)
    for i in range(10):
        x = data.normal(size=(n, ACCUM * 8, 8)).astype(np.float32)
        state, metrics, rngs = p_train_step(state, {"x": x, "y": x.sum(-1, keepdims=True)}, rngs)
    print(unreplicate(metrics))
    print(jax.tree_util.tree_map(jnp.shape, unreplicate(state).params))


if __name__ == "__main__":
    main()
