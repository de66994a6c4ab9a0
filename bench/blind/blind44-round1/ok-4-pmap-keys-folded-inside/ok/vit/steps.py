import functools

import jax
import optax


@functools.partial(jax.pmap, axis_name="batch", in_axes=(0, 0, 0, None), donate_argnums=0)
def train_step(state, x, y, key):
    key = jax.random.fold_in(key, jax.lax.axis_index("batch"))

    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x, True, rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    state = state.apply_gradients(grads=jax.lax.pmean(grads, "batch"))
    return state, jax.lax.pmean(loss, "batch")


@functools.partial(jax.pmap, axis_name="batch")
def eval_step(state, x, y):
    logits = state.apply_fn({"params": state.params}, x, False)
    return jax.lax.psum((logits.argmax(-1) == y).sum(), "batch")
