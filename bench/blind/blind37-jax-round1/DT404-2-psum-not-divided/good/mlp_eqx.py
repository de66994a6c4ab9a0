import equinox as eqx
import jax


class Tower(eqx.Module):
    layers: list
    head: eqx.nn.Linear

    def __init__(self, width, depth, *, key):
        *keys, head_key = jax.random.split(key, depth + 1)
        sizes = [20] + [width] * depth
        self.layers = [eqx.nn.Linear(i, o, key=k) for i, o, k in zip(sizes, sizes[1:], keys)]
        self.head = eqx.nn.Linear(width, 1, key=head_key)

    def __call__(self, x):
        for layer in self.layers:
            x = jax.nn.silu(layer(x))
        return self.head(x)[0]
