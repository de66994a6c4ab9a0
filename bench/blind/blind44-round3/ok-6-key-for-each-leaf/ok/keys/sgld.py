import jax
import jax.numpy as jnp

from keys.streams import like


def energy(params, x):
    return jnp.mean((jnp.tanh(x @ params["a"]) @ params["b"] - x.sum(-1)) ** 2)


@jax.jit
def langevin(params, key, x, lr=1e-2):
    grads = jax.grad(energy)(params, x)

    def move(p, g, k):
        return p - lr * g + jnp.sqrt(2e-4 * lr) * jax.random.normal(k, p.shape)

    return jax.tree.map(move, params, grads, like(key, params))
