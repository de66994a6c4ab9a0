import argparse

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training.common_utils import shard
from flax.training.train_state import TrainState

from across import synchronised

AXIS = "dp"


class Regressor(nn.Module):
    @nn.compact
    def __call__(self, x):
        for width in (128, 128):
            x = nn.silu(nn.Dense(width)(x))
        return nn.Dense(1)(x)[..., 0]


def optimizer(lr, steps):
    schedule = optax.warmup_cosine_decay_schedule(0.0, lr, steps // 10, steps)
    return optax.chain(synchronised(AXIS), optax.trace(decay=0.9), optax.scale_by_learning_rate(schedule))


def train_step(state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((state.apply_fn({"params": p}, x) - y) ** 2))(state.params)
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, AXIS)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--lr", type=float, default=1e-2)
    args = parser.parse_args()
    model = Regressor()
    params = model.init(jax.random.key(0), jnp.zeros((1, 5)))["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optimizer(args.lr, args.steps))
    state = jax_utils.replicate(state)
    p_step = jax.pmap(train_step, axis_name=AXIS, donate_argnums=0)
    rng = np.random.default_rng(0)
    for i in range(args.steps):
        x = rng.uniform(-1, 1, (args.batch, 5)).astype(np.float32)
        state, loss = p_step(state, shard(x), shard(np.prod(x, axis=1)))
        if i % 50 == 0:
            print(i, float(loss[0]))


if __name__ == "__main__":
    main()
