"""A coroutine of keys driven by send, itertools.accumulate over splits, map with starmap."""
import functools
import itertools

import jax
import jax.numpy as jnp


def key_stream(key):
    count = 1
    while True:
        key, *out = jax.random.split(key, count + 1)
        count = (yield out) or 1


def prime(fn):
    @functools.wraps(fn)
    def start(*args):
        gen = fn(*args)
        next(gen)
        return gen

    return start


stream = prime(key_stream)


def chain_of_keys(key, n):
    chain = itertools.accumulate(range(n), lambda k, _: jax.random.split(k)[0], initial=key)
    return [jax.random.split(k)[1] for k in itertools.islice(chain, n)]


def main():
    keys = stream(jax.random.key(0))
    a, b = keys.send(2)
    (c,) = keys.send(1)
    ws = list(itertools.starmap(jax.random.normal, zip((a, b, c), ((2, 3), (3, 3), (3, 1)))))
    x = jax.random.normal(*keys.send(1), (8, 2))
    for w in ws:
        x = jnp.tanh(x @ w)
    noises = [jax.random.normal(k) for k in chain_of_keys(jax.random.key(1), 5)]
    print(x.mean(), len(set(map(float, noises))))


if __name__ == "__main__":
    main()
