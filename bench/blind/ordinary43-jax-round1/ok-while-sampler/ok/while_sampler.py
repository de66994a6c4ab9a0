"""Autoregressive sampling in lax.while_loop with the key in the carry, temperature / top-k."""
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Decode(NamedTuple):
    tokens: jax.Array
    position: jax.Array
    done: jax.Array
    key: jax.Array


def logits_fn(params, tokens, position):
    last = tokens[jnp.arange(tokens.shape[0]), position - 1]
    return params["out"][last]


def top_k(logits, k):
    kth = jnp.sort(logits, -1)[..., -k][..., None]
    return jnp.where(logits < kth, -jnp.inf, logits)


@partial(jax.jit, static_argnames=("max_len", "k"))
def generate(params, prompt, key, *, max_len, k=4, temperature=1.0):
    batch, start = prompt.shape
    tokens = jnp.zeros((batch, max_len), jnp.int32).at[:, :start].set(prompt)
    state = Decode(tokens, jnp.asarray(start), jnp.zeros((batch,), bool), key)

    def cond(s):
        return (s.position < max_len) & ~s.done.all()

    def body(s):
        key, sub = jax.random.split(s.key)
        logits = top_k(logits_fn(params, s.tokens, s.position) / temperature, k)
        nxt = jax.random.categorical(sub, logits)
        nxt = jnp.where(s.done, 0, nxt)
        return Decode(s.tokens.at[:, s.position].set(nxt), s.position + 1, s.done | (nxt == 1), key)

    return jax.lax.while_loop(cond, body, state).tokens


def main():
    params_key, sample_key = jax.random.split(jax.random.key(0))
    params = {"out": jax.random.normal(params_key, (12, 12))}
    prompt = jnp.array([[2, 3], [4, 5]])
    for i, key in enumerate(jax.random.split(sample_key, 3)):
        print(i, generate(params, prompt, key, max_len=12))
    greedy = generate(params, prompt, jax.random.key(0), max_len=12, k=1)
    print(greedy)


if __name__ == "__main__":
    main()
