import argparse

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.train_state import TrainState


class Head(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.tanh(nn.Dense(self.width)(x)))[..., 0]


class Table:
    def __init__(self, rows, seed):
        rng = np.random.default_rng(seed)
        self.x = rng.normal(size=(rows, 12)).astype(np.float32)
        self.y = np.tanh(self.x[:, :3]).sum(-1)

    def epoch(self, batch, rng):
        order = rng.permutation(len(self.x))
        for start in range(0, len(order), batch):
            index = order[start : start + batch]
            yield self.x[index], self.y[index]


def shard(array):
    return array.reshape((jax.local_device_count(), -1) + array.shape[1:])


def step(state, x, y):
    def objective(params):
        return jnp.mean((state.apply_fn(params, x) - y) ** 2)

    loss, grads = jax.value_and_grad(objective)(state.params)
    state = state.apply_gradients(grads=jax.lax.pmean(grads, "dev"))
    return state, jax.lax.pmean(loss, "dev")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1003)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    if args.batch % jax.local_device_count():
        raise SystemExit("batch must be a multiple of the device count")
    model = Head(32)
    params = model.init(jax.random.PRNGKey(0), jnp.zeros((1, 12)))
    state = jax_utils.replicate(TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3)))
    p_step = jax.pmap(step, axis_name="dev")
    table = Table(args.rows, seed=0)
    rng = np.random.default_rng(1)
    for epoch in range(args.epochs):
        for x, y in table.epoch(args.batch, rng):
            state, loss = p_step(state, shard(x), shard(y))
        print(epoch, float(loss[0]))


if __name__ == "__main__":
    main()
