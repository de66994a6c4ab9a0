import jax
import jax.numpy as jnp
import numpy as np


def init(key, sizes):
    return [
        jax.random.normal(jax.random.fold_in(key, i), (a, b)) / np.sqrt(a) for i, (a, b) in enumerate(zip(sizes, sizes[1:]))
    ]


def forward(params, x, key, rate=0.1):
    for i, w in enumerate(params[:-1]):
        x = jax.nn.relu(x @ w)
        keep = jax.random.bernoulli(jax.random.fold_in(key, i), 1 - rate, x.shape)
        x = jnp.where(keep, x / (1 - rate), 0)
    return x @ params[-1]


@jax.jit
def step(params, x, y, key):
    grads = jax.grad(lambda p: jnp.mean((forward(p, x, key)[:, 0] - y) ** 2))(params)
    return [p - 0.05 * g for p, g in zip(params, grads)]


def main(steps=100):
    init_key, drop_key = jax.random.split(jax.random.key(0))
    params = init(init_key, (6, 32, 32, 1))
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = rng.normal(size=(64, 6)).astype(np.float32)
        params = step(params, x, x[:, 0], jax.random.fold_in(drop_key, i))
    print(float(jnp.mean(params[0])))


if __name__ == "__main__":
    main()
