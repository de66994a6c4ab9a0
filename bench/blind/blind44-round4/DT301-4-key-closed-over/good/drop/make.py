import jax
import jax.numpy as jnp

from drop.layers import apply


def make_update(base_key, lr):
    def update(params, x, y, step):
        key = jax.random.fold_in(base_key, step)
        key = jax.random.fold_in(key, jax.lax.axis_index("dev"))

        def loss_fn(p):
            return jnp.mean((apply(p, x, key) - y) ** 2)

        grads = jax.lax.pmean(jax.grad(loss_fn)(params), "dev")
        return jax.tree.map(lambda p, g: p - lr * g, params, grads)

    return jax.pmap(update, axis_name="dev", in_axes=(0, 0, 0, None), donate_argnums=(0,))
