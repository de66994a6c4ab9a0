import jax
import jax.numpy as jnp
import numpy as np

from ens.members import ensemble


def predict(p, x):
    return jnp.tanh(x @ p["a"]) @ p["b"]


@jax.jit
def update(members, x, y):
    def loss(p):
        return jnp.mean((predict(p, x) - y) ** 2)

    grads = jax.vmap(jax.grad(loss))(members)
    return jax.tree.map(lambda p, g: p - 0.05 * g, members, grads)


def main(size=5, steps=50):
    members = ensemble(jax.random.key(0), jnp.full((size,), 0.5))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(32, 4)).astype(np.float32)
        members = update(members, x, x.sum(-1))
    spread = jax.vmap(predict, in_axes=(0, None))(members, x).std(0)
    print(float(spread.mean()))


if __name__ == "__main__":
    main()
