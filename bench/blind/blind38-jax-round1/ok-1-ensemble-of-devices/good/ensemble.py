"""Deep ensemble for uncertainty: a member for every local device."""
import argparse

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Member(nn.Module):
    @nn.compact
    def __call__(self, x):
        for _ in range(2):
            x = nn.tanh(nn.Dense(48)(x))
        out = nn.Dense(2)(x)
        return out[..., 0], nn.softplus(out[..., 1]) + 1e-3


MODEL = Member()
TX = optax.adam(2e-3)


def create(key):
    params = MODEL.init(key, jnp.zeros((1, 1)))
    return params, TX.init(params)


def negative_log_likelihood(params, x, y):
    mean, scale = MODEL.apply(params, x)
    return jnp.mean(jnp.log(scale) + 0.5 * ((y - mean) / scale) ** 2)


def fit_member(key, params, opt_state, x, y, steps):
    def one(carry, step_key):
        params, opt_state = carry
        pick = jax.random.choice(step_key, x.shape[0], (64,))
        loss, grads = jax.value_and_grad(negative_log_likelihood)(params, x[pick], y[pick])
        updates, opt_state = TX.update(grads, opt_state)
        return (optax.apply_updates(params, updates), opt_state), loss

    (params, opt_state), losses = jax.lax.scan(one, (params, opt_state), jax.random.split(key, steps))
    return params, opt_state, losses[-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=500)
    args = parser.parse_args()
    members = jax.local_device_count()
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, (256, 1)).astype(np.float32)
    y = np.sin(2 * x[:, 0]) + 0.1 * rng.normal(size=256).astype(np.float32)
    init_key, fit_key = jax.random.split(jax.random.key(4))
    params, opt_state = jax.pmap(create)(jax.random.split(init_key, members))
    fit = jax.pmap(fit_member, in_axes=(0, 0, 0, None, None, None), static_broadcasted_argnums=5)
    params, opt_state, loss = fit(jax.random.split(fit_key, members), params, opt_state, x, y, args.steps)
    grid = np.linspace(-3, 3, 50, dtype=np.float32)[:, None]
    means, scales = jax.pmap(MODEL.apply, in_axes=(0, None))(params, grid)
    means, scales = np.asarray(means), np.asarray(scales)
    total = np.sqrt(means.var(axis=0) + (scales**2).mean(axis=0))
    print("final losses", np.asarray(loss).round(3), "spread", total[[0, 25, 49]].round(3))


if __name__ == "__main__":
    main()
