import jax
import jax.numpy as jnp


def step(config, params, x, train):
    def loss(p):
        h = jax.nn.relu(x @ p["a"]) * (config["scale"] if train else 1.0)
        return jnp.mean((h @ p["b"] - x.sum(-1, keepdims=True)) ** 2)

    grads = jax.lax.pmean(jax.grad(loss)(params), "d")
    return jax.tree.map(lambda p, g: p - config["lr"] * g, params, grads)
