import argparse

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from state import create_state


def train_step(state, x, y):
    def loss_fn(params):
        return jnp.mean((state.apply_fn({"params": params}, x) - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    loss, grads = jax.lax.pmean((loss, grads), "b")
    return state.apply_gradients(grads=grads), loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--steps", type=int, default=10)
    args = parser.parse_args()
    state = create_state(args.seed, args.lr, 6)
    print("parameters", sum(leaf.size for leaf in jax.tree.leaves(state.params)))
    state = jax_utils.replicate(state)
    p_step = jax.pmap(train_step, axis_name="b", donate_argnums=(0,))
    rng = np.random.default_rng(args.seed)
    for _ in range(args.steps):
        x = rng.normal(size=(jax.local_device_count(), 8, 6)).astype(np.float32)
        state, loss = p_step(state, x, x.max(-1))
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
