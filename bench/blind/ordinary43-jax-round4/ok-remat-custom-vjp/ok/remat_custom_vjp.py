"""Stochastic rounding with custom_vjp, jax.checkpoint with a dropout key: recomputed masks are the same by design."""
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.custom_vjp, nondiff_argnums=())
def stochastic_round(x, key):
    return jnp.floor(x + jax.random.uniform(key, x.shape))


def _fwd(x, key):
    return stochastic_round(x, key), None


def _bwd(_, g):
    return g, None


stochastic_round.defvjp(_fwd, _bwd)


@jax.checkpoint
def block(w, x, key):
    h = jnp.tanh(x @ w)
    return h * jax.random.bernoulli(key, 0.8, h.shape) / 0.8


def loss_fn(ws, x, key):
    for w, k in zip(ws, jax.random.split(key, len(ws))):
        x = x + block(w, x, k)
    return jnp.mean(x**2)


@jax.jit
def step(ws, x, key):
    drop_key, *round_keys = jax.random.split(key, len(ws) + 1)
    loss, grads = jax.value_and_grad(loss_fn)(ws, x, drop_key)
    ws = [w - 0.1 * stochastic_round(g * 128, k) / 128 for w, g, k in zip(ws, grads, round_keys)]
    return ws, loss


def main():
    root = jax.random.key(4)
    w_keys = jax.random.split(jax.random.fold_in(root, 0), 3)
    ws = [jax.random.normal(k, (8, 8)) * 0.3 for k in w_keys]
    x = jax.random.normal(jax.random.fold_in(root, 1), (16, 8))
    for i in range(10):
        ws, loss = step(ws, x, jax.random.fold_in(root, 2 + i))
    print(float(loss))


if __name__ == "__main__":
    main()
