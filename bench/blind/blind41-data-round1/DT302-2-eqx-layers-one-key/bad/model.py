import equinox as eqx
import jax
import jax.numpy as jnp


class Block(eqx.Module):
    norm: eqx.nn.LayerNorm
    mlp: eqx.nn.MLP

    def __init__(self, width, key):
        self.norm = eqx.nn.LayerNorm(width)
        self.mlp = eqx.nn.MLP(width, width, 2 * width, 1, key=key)

    def __call__(self, x):
        return x + self.mlp(self.norm(x))


class Tower(eqx.Module):
    inp: eqx.nn.Linear
    blocks: list
    out: eqx.nn.Linear

    def __init__(self, width, depth, key):
        in_key, block_key, out_key = jax.random.split(key, 3)
        self.inp = eqx.nn.Linear(5, width, key=in_key)
        self.blocks = [Block(width, block_key) for _ in range(depth)]
        self.out = eqx.nn.Linear(width, 1, key=out_key)

    def __call__(self, x):
        x = self.inp(x)
        for block in self.blocks:
            x = block(x)
        return self.out(x)[0]
