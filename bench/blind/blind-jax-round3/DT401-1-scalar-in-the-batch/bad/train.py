import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, linen as nn
from flax.training.train_state import TrainState

from data import Pairs


class Tower(nn.Module):
    @nn.compact
    def __call__(self, x):
        z = nn.Dense(16)(nn.gelu(nn.Dense(32)(x)))
        return z / (jnp.linalg.norm(z, axis=-1, keepdims=True) + 1e-6)


def step(state, batch):
    def loss_fn(params):
        a, b = (state.apply_fn({"params": params}, batch[side]) for side in ("a", "b"))
        b = jax.lax.all_gather(b, "cores").reshape(-1, b.shape[-1])
        logits = a @ b.T / batch["temperature"]
        labels = jnp.arange(a.shape[0]) + jax.lax.axis_index("cores") * a.shape[0]
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    loss, grads = jax.lax.pmean((loss, grads), "cores")
    return state.apply_gradients(grads=grads), loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--temperature", type=float, default=0.1)
    parser.add_argument("--steps", type=int, default=10)
    args = parser.parse_args()
    tower = Tower()
    params = tower.init(jax.random.PRNGKey(0), jnp.zeros((1, 10)))["params"]
    state = jax_utils.replicate(TrainState.create(apply_fn=tower.apply, params=params, tx=optax.adam(1e-3)))
    p_step = jax.pmap(step, axis_name="cores", donate_argnums=(0,))
    for _, batch in zip(range(args.steps), Pairs(8, 0, args.temperature)):
        state, loss = p_step(state, batch)
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
