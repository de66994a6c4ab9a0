import jax
import jax.numpy as jnp
import numpy as np
import optax

from tables.init import init


def attend(p, tokens):
    x = p["embed"][tokens]
    q, k, v = (x @ p[name] for name in ("query", "key", "value"))
    weights = jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", q, k) / 32**0.5)
    return weights @ v @ p["out"]


@jax.jit
def update(p, tokens):
    def loss(p):
        logits = attend(p, tokens[:, :-1])
        return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

    return jax.tree.map(lambda a, g: a - 0.1 * g, p, jax.grad(loss)(p))


def main(steps=20):
    params = init(jax.random.key(0))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        params = update(params, rng.integers(0, 64, size=(8, 17)))
    return params


if __name__ == "__main__":
    main()
