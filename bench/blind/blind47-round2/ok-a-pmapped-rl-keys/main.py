import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import jax_utils


class Carry(NamedTuple):
    w: jax.Array
    x: jax.Array
    key: jax.Array


def act(carry, _):
    key, k_noise, k_env = jax.random.split(carry.key, 3)
    action = carry.x @ carry.w + jax.random.normal(k_noise, carry.x.shape)
    x = carry.x + 0.1 * action + 0.01 * jax.random.normal(k_env, carry.x.shape)
    return carry._replace(x=x, key=key), (carry.x, action, -jnp.sum(x**2))


@functools.partial(jax.pmap, axis_name="d")
def learn(w, key):
    k_x, k_run = jax.random.split(key)
    _, (xs, actions, rewards) = jax.lax.scan(act, Carry(w, jax.random.normal(k_x, (3,)), k_run), None, 20)
    grad = jax.grad(lambda w: jnp.mean(rewards * jnp.sum((actions - xs @ w) ** 2, -1)))(w)
    return w - 0.01 * jax.lax.pmean(grad, "d"), jax.lax.pmean(rewards.mean(), "d")


def main():
    k_init, key = jax.random.split(jax.random.key(0))
    w = jax_utils.replicate(0.1 * jax.random.normal(k_init, (3, 3)))
    for _ in range(10):
        key, *subs = jax.random.split(key, 1 + jax.local_device_count())
        w, reward = learn(w, jnp.stack(subs))
    print(reward[0])


if __name__ == "__main__":
    main()
