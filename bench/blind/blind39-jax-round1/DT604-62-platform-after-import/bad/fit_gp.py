"""Gaussian-process hyperparameters on CPU in double precision, restarts spread over virtual devices."""
import argparse
import os

import jax
import jax.numpy as jnp
import numpy as np
import optax


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--double", action="store_true", default=True)
    parser.add_argument("--restarts-per-device", type=int, default=4)
    parser.add_argument("--steps", type=int, default=200)
    return parser.parse_args()


def kernel(theta, a, b):
    sq = jnp.sum((a[:, None] - b[None]) ** 2, -1)
    return jnp.exp(theta[0] - 0.5 * sq * jnp.exp(-theta[1]))


def nll(theta, x, y):
    cov = kernel(theta, x, x) + (jnp.exp(theta[2]) + 1e-8) * jnp.eye(len(x))
    chol = jnp.linalg.cholesky(cov)
    alpha = jax.scipy.linalg.cho_solve((chol, True), y)
    return 0.5 * y @ alpha + jnp.sum(jnp.log(jnp.diag(chol)))


def fit(theta, x, y, steps):
    tx = optax.adam(0.05)

    def body(carry, _):
        theta, opt_state = carry
        value, grads = jax.value_and_grad(nll)(theta, x, y)
        updates, opt_state = tx.update(grads, opt_state)
        return (optax.apply_updates(theta, updates), opt_state), value

    (theta, _), values = jax.lax.scan(body, (theta, tx.init(theta)), None, length=steps)
    return theta, values[-1]


def main():
    args = parse()
    if args.double:
        os.environ["JAX_ENABLE_X64"] = "1"
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, size=(80, 2))
    y = np.sin(x).sum(-1) + 0.1 * rng.normal(size=80)
    n = jax.local_device_count()
    starts = jax.random.normal(jax.random.key(1), (n, args.restarts_per_device, 3))
    run = jax.pmap(
        jax.vmap(lambda theta, x, y: fit(theta, x, y, args.steps), in_axes=(0, None, None)), in_axes=(0, None, None)
    )
    thetas, values = run(starts, x, y)
    best = int(jnp.argmin(values))
    print(float(values.reshape(-1)[best]), thetas.reshape(-1, 3)[best])


if __name__ == "__main__":
    main()
