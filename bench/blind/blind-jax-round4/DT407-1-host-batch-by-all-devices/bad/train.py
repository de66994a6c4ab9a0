import argparse
import functools

import jax
import jax.numpy as jnp
from flax import jax_utils

from feed import Feed


@functools.partial(jax.pmap, axis_name="all", donate_argnums=(0,))
def step(weights, x):
    loss, grads = jax.value_and_grad(lambda w: jnp.mean((x @ w - x.min(-1)) ** 2))(weights)
    loss, grads = jax.lax.pmean((loss, grads), "all")
    return weights - 0.05 * grads, loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--global-batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=10)
    args = parser.parse_args()
    jax.distributed.initialize()
    feed = Feed(args.global_batch, seed=0)
    weights = jax_utils.replicate(jnp.zeros((6,)))
    for _ in range(args.steps):
        weights, loss = step(weights, feed.next())
    if jax.process_index() == 0:
        print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
