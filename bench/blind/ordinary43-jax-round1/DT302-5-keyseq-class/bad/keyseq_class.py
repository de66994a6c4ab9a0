"""A key sequence object: next(keys) hands out fresh keys."""
import jax
import jax.numpy as jnp


class KeySeq:
    def __init__(self, seed_or_key):
        if isinstance(seed_or_key, int):
            seed_or_key = jax.random.PRNGKey(seed_or_key)
        self._key = seed_or_key

    def __iter__(self):
        return self

    def __next__(self):
        self._key, out = jax.random.split(self._key)
        return out

    def take(self, n):
        keys = jax.random.split(self._key, n + 1)
        self._key = keys[0]
        return tuple(keys[1:])


def init_mlp(keys, sizes):
    layers = []
    for fan_in, fan_out in zip(sizes[:-1], sizes[1:]):
        w_key = b_key = next(keys)
        layers.append(
            {
                "w": jax.random.normal(w_key, (fan_in, fan_out)) / jnp.sqrt(fan_in),
                "b": 0.01 * jax.random.normal(b_key, (fan_out,)),
            }
        )
    return layers


def forward(layers, x):
    for layer in layers[:-1]:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return x @ layers[-1]["w"] + layers[-1]["b"]


@jax.jit
def update(layers, x, y, noise_key):
    def loss(layers):
        noisy = x + 0.05 * jax.random.normal(noise_key, x.shape)
        return jnp.mean((forward(layers, noisy) - y) ** 2)

    value, grads = jax.value_and_grad(loss)(layers)
    return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, layers, grads), value


def main():
    keys = KeySeq(7)
    layers = init_mlp(keys, [4, 16, 1])
    xs = jax.random.normal(next(keys), (128, 4))
    ys = jnp.sum(xs, axis=1, keepdims=True)
    for step in range(50):
        idx = jax.random.randint(next(keys), (32,), 0, 128)
        layers, loss = update(layers, xs[idx], ys[idx], next(keys))
        if step % 10 == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
