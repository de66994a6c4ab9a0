"""Denoising score matching on 2-D toy densities, pmapped."""
import argparse
import math

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


def spiral(rng, n):
    angle = 3 * math.pi * np.sqrt(rng.random(n))
    points = np.stack([angle * np.cos(angle), angle * np.sin(angle)], -1) / 6
    return points.astype(np.float32)


def init(key, width):
    first, second, last = jax.random.split(key, 3)
    dense = lambda k, a, b: {"w": jax.random.normal(k, (a, b)) * a**-0.5, "b": jnp.zeros((b,))}
    return [dense(first, 3, width), dense(second, width, width), dense(last, width, 2)]


def score(params, x, log_sigma):
    h = jnp.concatenate([x, log_sigma[:, None]], -1)
    *body, head = params
    for layer in body:
        h = jax.nn.softplus(h @ layer["w"] + layer["b"])
    return h @ head["w"] + head["b"]


def build(tx, noise_key):
    def objective(params, x, key):
        key_sigma, key_eps = jax.random.split(key)
        log_sigma = jax.random.uniform(key_sigma, x.shape[:1], minval=-4.0, maxval=0.5)
        eps = jax.random.normal(key_eps, x.shape)
        sigma = jnp.exp(log_sigma)[:, None]
        return jnp.mean(jnp.sum((score(params, x + sigma * eps, log_sigma) + eps) ** 2, -1))

    def update(carry, x):
        params, opt_state, step = carry
        key = jax.random.fold_in(noise_key, step)
        key = jax.random.fold_in(key, jax.lax.axis_index("core"))
        loss, grads = jax.value_and_grad(objective)(params, x, key)
        grads = jax.lax.pmean(grads, axis_name="core")
        delta, opt_state = tx.update(grads, opt_state)
        return (optax.apply_updates(params, delta), opt_state, step + 1), jax.lax.pmean(loss, axis_name="core")

    return jax.pmap(update, axis_name="core", donate_argnums=(0,))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--per-core", type=int, default=512)
    parser.add_argument("--steps", type=int, default=2000)
    args = parser.parse_args()
    init_key, noise_key = jax.random.split(jax.random.key(2024))
    tx = optax.adam(optax.cosine_decay_schedule(2e-3, args.steps))
    params = init(init_key, args.width)
    carry = jax_utils.replicate((params, tx.init(params), jnp.int32(0)))
    update = build(tx, noise_key)
    cores = jax.local_device_count()
    rng = np.random.default_rng(0)
    for step in range(args.steps):
        carry, loss = update(carry, spiral(rng, cores * args.per_core).reshape(cores, args.per_core, 2))
        if step % 500 == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    main()
