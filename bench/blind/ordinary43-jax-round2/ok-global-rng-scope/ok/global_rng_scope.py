"""A stack of keys behind a context manager and a decorator that hands out keys."""
import contextlib
import functools
import threading

import jax
import jax.numpy as jnp

_local = threading.local()


@contextlib.contextmanager
def rng_scope(key):
    stack = getattr(_local, "stack", None)
    if stack is None:
        stack = _local.stack = []
    stack.append(key)
    try:
        yield
    finally:
        stack.pop()


def next_key():
    stack = _local.stack
    stack[-1], out = jax.random.split(stack[-1])
    return out


def with_key(fn):
    @functools.wraps(fn)
    def wrapped(*args, **kwargs):
        if "key" not in kwargs:
            kwargs["key"] = next_key()
        return fn(*args, **kwargs)

    return wrapped


@with_key
def linear(n_in, n_out, *, key):
    return jax.random.normal(key, (n_in, n_out)) / jnp.sqrt(n_in)


@with_key
def dropout(x, rate, *, key):
    return jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x / (1 - rate), 0)


def main():
    with rng_scope(jax.random.PRNGKey(0)):
        params = [linear(8, 16), linear(16, 16), linear(16, 1)]
    x = jnp.ones((4, 8))
    for step in range(3):
        with rng_scope(jax.random.fold_in(jax.random.PRNGKey(1), step)):
            h = x
            for w in params[:-1]:
                h = dropout(jnp.tanh(h @ w), 0.1)
            print(step, (h @ params[-1]).mean())


if __name__ == "__main__":
    main()
