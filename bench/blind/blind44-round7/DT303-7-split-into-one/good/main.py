import jax
import jax.numpy as jnp
import numpy as np

from aug.noise import next_key, noisy


@jax.jit
def update(w, x, key):
    return w - 0.1 * jax.grad(lambda w: jnp.mean((noisy(key, x, 0.1) @ w - x[:, 0]) ** 2))(w)


def main(steps=10):
    key = jax.random.PRNGKey(0)
    w = jnp.zeros(3)
    rng = np.random.default_rng(0)
    for i in range(steps):
        sub = next_key(jax.random.fold_in(key, i))
        w = update(w, rng.normal(size=(8, 3)).astype(np.float32), sub)
    print(w)


if __name__ == "__main__":
    main()
