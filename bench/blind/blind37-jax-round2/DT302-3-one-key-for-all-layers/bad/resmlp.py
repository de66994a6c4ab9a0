import equinox as eqx
import jax
import jax.numpy as jnp


class Layer(eqx.Module):
    norm: eqx.nn.LayerNorm
    up: eqx.nn.Linear
    down: eqx.nn.Linear
    dropout: eqx.nn.Dropout

    def __init__(self, width, *, key):
        k1, k2 = jax.random.split(key)
        self.norm = eqx.nn.LayerNorm(width)
        self.up = eqx.nn.Linear(width, 2 * width, key=k1)
        self.down = eqx.nn.Linear(2 * width, width, key=k2)
        self.dropout = eqx.nn.Dropout(0.1)

    def __call__(self, x, *, key):
        return x + self.dropout(self.down(jax.nn.gelu(self.up(self.norm(x)))), key=key)


class ResMLP(eqx.Module):
    stem: eqx.nn.Linear
    layers: tuple
    head: eqx.nn.Linear

    def __init__(self, n_in, width, depth, *, key):
        k_stem, k_head, k_layers = jax.random.split(key, 3)
        self.stem = eqx.nn.Linear(n_in, width, key=k_stem)
        self.layers = tuple(Layer(width, key=k_layers) for _ in range(depth))
        self.head = eqx.nn.Linear(width, 1, key=k_head)

    def __call__(self, x, *, key):
        x = self.stem(x)
        for layer, k in zip(self.layers, jax.random.split(key, len(self.layers))):
            x = layer(x, key=k)
        return jnp.squeeze(self.head(x))
