import jax
import jax.numpy as jnp


def step(state, x):
    state, sub = state.next_key()
    sub = jax.random.fold_in(sub, jax.lax.axis_index("d"))
    k_noise, k_drop = jax.random.split(sub)
    noisy = x + 0.1 * jax.random.normal(k_noise, x.shape)

    def loss_fn(params):
        out = state.apply_fn({"params": params}, noisy, rngs={"dropout": k_drop})
        return jnp.mean((out - x) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    loss, grads = jax.lax.pmean((loss, grads), "d")
    return state.apply_gradients(grads=grads), loss
