"""Noisy-label regression with haiku-style plain functions."""
import jax
import jax.numpy as jnp
import optax


def dense(key, n_in, n_out):
    return {"w": jax.random.normal(key, (n_in, n_out)) * (2 / n_in) ** 0.5, "b": jnp.zeros(n_out)}


def make_model(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [dense(k, a, b) for k, a, b in zip(keys, sizes[:-1], sizes[1:])]


def forward(layers, x):
    *hidden, last = layers
    for layer in hidden:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return (x @ last["w"] + last["b"])[..., 0]


def make_data(key, n, d, noise=0.1):
    x_key, w_key, n_key = jax.random.split(key, 3)
    x = jax.random.normal(x_key, (n, d))
    y = jnp.sin(x @ jax.random.normal(w_key, (d,)))
    return x, y + noise * jax.random.normal(n_key, (n,))


def epochs(key, x, y, batch, count):
    for _ in range(count):
        key, sub = jax.random.split(key)
        order = jax.random.permutation(sub, len(x))
        for start in range(0, len(x) - batch + 1, batch):
            rows = order[start : start + batch]
            yield x[rows], y[rows]


def main():
    k_model, k_data, k_order = jax.random.split(jax.random.key(12), 3)
    layers = make_model(k_model, (16, 128, 128, 1))
    x, y = make_data(k_data, 4096, 16)
    tx = optax.adam(1e-3)
    state = tx.init(layers)

    @jax.jit
    def step(layers, state, x, y):
        loss, grads = jax.value_and_grad(lambda m: jnp.mean((forward(m, x) - y) ** 2))(layers)
        updates, state = tx.update(grads, state)
        return optax.apply_updates(layers, updates), state, loss

    for xb, yb in epochs(k_order, x, y, 128, 5):
        layers, state, loss = step(layers, state, xb, yb)
    print(float(loss))


if __name__ == "__main__":
    main()
