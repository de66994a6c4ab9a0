from typing import NamedTuple

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax

from lm import forward_fn

AXIS = "batch"
forward = hk.transform(forward_fn)
optimizer = optax.adam(1e-3)


class TrainingState(NamedTuple):
    params: hk.Params
    opt_state: optax.OptState


def broadcast(tree):
    n = jax.local_device_count()
    return jax.tree_util.tree_map(lambda x: jnp.broadcast_to(x, (n,) + jnp.shape(x)), tree)


def loss_fn(params, rng, tokens):
    logits = forward.apply(params, rng, tokens[:, :-1], is_training=True)
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def update(state, rng, tokens):
    loss, grads = jax.value_and_grad(loss_fn)(state.params, rng, tokens)
    grads = jax.lax.pmean(grads, AXIS)
    updates, opt_state = optimizer.update(grads, state.opt_state)
    params = optax.apply_updates(state.params, updates)
    return TrainingState(params, opt_state), jax.lax.pmean(loss, AXIS)


def main(steps=20):
    n = jax.local_device_count()
    data = np.random.default_rng(0)
    rng, init_rng = jax.random.split(jax.random.PRNGKey(428))
    params = forward.init(init_rng, jnp.zeros((1, 8), jnp.int32), is_training=True)
    state = broadcast(TrainingState(params, optimizer.init(params)))
    p_update = jax.pmap(update, axis_name=AXIS, donate_argnums=(0,))
    for step in range(steps):
        rng, step_rng = jax.random.split(rng)
        step_rngs = broadcast(step_rng)
        tokens = data.integers(0, 31, size=(n, 8, 9))
        state, loss = p_update(state, step_rngs, tokens)
        if step % 10 == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    main()
