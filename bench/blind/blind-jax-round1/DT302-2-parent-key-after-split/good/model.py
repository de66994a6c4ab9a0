import equinox as eqx
import jax
import jax.numpy as jnp


class Block(eqx.Module):
    norm: eqx.nn.LayerNorm
    up: eqx.nn.Linear
    down: eqx.nn.Linear

    def __init__(self, dim, *, key):
        up_key, down_key = jax.random.split(key)
        self.norm = eqx.nn.LayerNorm(dim)
        self.up = eqx.nn.Linear(dim, 2 * dim, key=up_key)
        self.down = eqx.nn.Linear(2 * dim, dim, key=down_key)

    def __call__(self, x):
        return x + self.down(jax.nn.gelu(self.up(self.norm(x))))


class Regressor(eqx.Module):
    stem: eqx.nn.Linear
    blocks: list
    head: eqx.nn.Linear

    def __init__(self, dim, depth, *, key):
        stem_key, head_key, *block_keys = jax.random.split(key, depth + 2)
        self.stem = eqx.nn.Linear(6, dim, key=stem_key)
        self.blocks = [Block(dim, key=k) for k in block_keys]
        self.head = eqx.nn.Linear(dim, 1, key=head_key)

    def __call__(self, x):
        h = self.stem(x)
        for block in self.blocks:
            h = block(h)
        return self.head(h)[0]
