import jax
import jax.numpy as jnp


def make_step(lr):
    def step(w, x):
        return w - lr * jax.lax.pmean(jax.grad(lambda w: jnp.mean((x @ w - x[:, 0]) ** 2))(w), "d")

    return jax.pmap(step, axis_name="d")
