import functools

import jax
import jax.numpy as jnp

from ppo.collect import many


@functools.partial(jax.jit, static_argnames=("count", "length"))
def improve(params, key, count=32, length=20):
    states, noise, rewards = many(params, key, count, length)
    gains = rewards.sum(1) - rewards.sum(1).mean()
    push = jnp.einsum("e,eti,eto->io", gains, states, noise) / count
    return {"w": params["w"] + 0.01 * push}, rewards.sum(1).mean()


def main(rounds=10):
    key, params = jax.random.key(0), {"w": jnp.zeros((2, 2))}
    for _ in range(rounds):
        key, sub = jax.random.split(key)
        params, score = improve(params, sub)
    print(float(score))


if __name__ == "__main__":
    main()
