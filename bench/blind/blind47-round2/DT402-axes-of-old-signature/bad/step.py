import jax
import jax.numpy as jnp
import optax


def build(tx):
    def step(params, opt_state, batch):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((batch["x"] @ p - batch["y"]) ** 2))(params)
        grads = jax.lax.pmean(grads, axis_name="b")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, axis_name="b")

    return jax.pmap(step, axis_name="b", in_axes=(0, 0, 0, 0), donate_argnums=(0, 1))
