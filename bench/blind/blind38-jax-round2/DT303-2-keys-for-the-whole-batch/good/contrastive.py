import argparse
from dataclasses import dataclass
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclass(frozen=True)
class Setup:
    batch: int = 128
    dim: int = 64
    temperature: float = 0.2
    lr: float = 1e-3


def view(key, x):
    """A random crop in feature space: some features are blanked, the others jittered."""
    k_keep, k_jitter = jax.random.split(key)
    keep = jax.random.bernoulli(k_keep, 0.8, x.shape)
    return jnp.where(keep, x + 0.1 * jax.random.normal(k_jitter, x.shape), 0.0)


def make_update(setup, static, tx):
    def info_nce(params, a, b):
        encoder = jax.vmap(eqx.combine(params, static))
        za, zb = (z / jnp.linalg.norm(z, axis=-1, keepdims=True) for z in (encoder(a), encoder(b)))
        logits = za @ zb.T / setup.temperature
        return optax.softmax_cross_entropy_with_integer_labels(logits, jnp.arange(len(za))).mean()

    @partial(jax.pmap, axis_name="d", in_axes=(None, None, 0, 0), out_axes=None)
    def update(params, opt_state, x, key):
        k_a, k_b = jax.random.split(key)
        a = jax.vmap(view)(jax.random.split(k_a, x.shape[0]), x)
        b = jax.vmap(view)(jax.random.split(k_b, x.shape[0]), x)
        loss, grads = jax.value_and_grad(info_nce)(params, a, b)
        grads, loss = jax.lax.pmean((grads, loss), "d")
        updates, opt_state = tx.update(grads, opt_state, params)
        return eqx.apply_updates(params, updates), opt_state, loss

    return update


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()
    setup = Setup()
    n = jax.local_device_count()
    k_model, key = jax.random.split(jax.random.key(9))
    model = eqx.nn.MLP(setup.dim, 32, 128, 2, key=k_model)
    params, static = eqx.partition(model, eqx.is_inexact_array)
    tx = optax.adam(setup.lr)
    opt_state = tx.init(params)
    update = make_update(setup, static, tx)
    rng = np.random.default_rng(0)
    for step in range(args.steps):
        x = rng.normal(size=(n, setup.batch // n, setup.dim)).astype(np.float32)
        step_keys = jax.random.split(jax.random.fold_in(key, step), n)
        params, opt_state, loss = update(params, opt_state, x, step_keys)
        if step % 20 == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
