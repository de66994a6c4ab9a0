import jax
import jax.numpy as jnp

from st.model import forward


@jax.jit
def step(state, x, y):
    rng = state.rng

    def loss(params):
        return jnp.mean((forward(params, x, rng) - y) ** 2)

    grads = jax.grad(loss)(state.params)
    params = jax.tree.map(lambda p, g: p - 0.05 * g, state.params, grads)
    return state.replace(params=params, step=state.step + 1)
