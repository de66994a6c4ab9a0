"""Evolution strategies with mirrored noise, members spread over the devices."""
import argparse
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

EVAL, NOISE, RESET = range(3)


def init(key, sizes=(4, 32, 1)):
    keys = jax.random.split(key, len(sizes) - 1)
    return [jax.random.normal(k, (a, b)) / a**0.5 for k, a, b in zip(keys, sizes[:-1], sizes[1:])]


def policy(params, obs):
    return jnp.tanh(jnp.tanh(obs @ params[0]) @ params[1])[0]


def score(params, key, length=50):
    def step(state, _):
        pos, vel = state
        force = policy(params, jnp.array([pos, vel, jnp.sin(pos), 1.0]))
        vel = 0.98 * vel + 0.1 * (force - jnp.sin(pos))
        return (pos + 0.1 * vel, vel), -(pos**2) - 0.01 * force**2

    start = jax.random.uniform(key, (2,), minval=-1.0)
    _, rewards = lax.scan(step, (start[0], start[1]), None, length=length)
    return rewards.sum()


def noise_like(key, params):
    return [jax.random.normal(k, p.shape) for k, p in zip(jax.random.split(key, len(params)), params)]


@partial(jax.pmap, axis_name="pop", in_axes=(None, 0, None), out_axes=None)
def gradient(params, key, sigma):
    noise = noise_like(jax.random.fold_in(key, NOISE), params)
    reset = jax.random.fold_in(key, RESET)
    plus = score([p + sigma * n for p, n in zip(params, noise)], reset)
    minus = score([p - sigma * n for p, n in zip(params, noise)], reset)
    grads = [-(plus - minus) / (2 * sigma) * n for n in noise]
    return lax.pmean(grads, "pop"), lax.pmean(0.5 * (plus + minus), "pop")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--restart", action="store_true")
    args = parser.parse_args()
    base = jax.random.key(0)
    params, slow = init(base), init(base)
    tx = optax.adam(2e-2)
    opt_state = tx.init(params)
    n = jax.local_device_count()
    run = jax.random.fold_in(base, 1)
    start = jax.random.split(run)[0] if args.restart else run
    for step in range(args.steps):
        keys = jax.random.split(jax.random.fold_in(start, step), n)
        grads, mean = gradient(params, keys, 0.1)
        updates, opt_state = tx.update(grads, opt_state)
        params = optax.apply_updates(params, updates)
        slow = jax.tree.map(lambda s, p: 0.95 * s + 0.05 * p, slow, params)
        if step % 20 == 0:
            print(step, float(mean), float(score(slow, jax.random.fold_in(base, 1000 + EVAL))))
    np.savez("policy.npz", *map(np.asarray, slow))


if __name__ == "__main__":
    main()
