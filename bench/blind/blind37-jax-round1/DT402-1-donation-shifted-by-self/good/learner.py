from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import optax


class LearnerState(NamedTuple):
    params: Any
    opt_state: Any
    steps: jax.Array


@chex.dataclass
class Transition:
    obs: chex.Array
    action: chex.Array
    target: chex.Array


class QLearner:
    """Fits Q-values on all local devices; the replay feeds one slice to each."""

    def __init__(self, n_obs, n_actions, learning_rate):
        self._n_obs = n_obs
        self._n_actions = n_actions
        self._tx = optax.chain(optax.clip_by_global_norm(10.0), optax.adam(learning_rate))
        self._sgd_step = jax.pmap(self._step, axis_name="devices", in_axes=(0, 0, None), donate_argnums=0)

    def initial_state(self, key):
        k1, k2 = jax.random.split(key)
        params = {
            "torso": jax.random.normal(k1, (self._n_obs, 64)) / 8,
            "head": jax.random.normal(k2, (64, self._n_actions)) / 8,
        }
        state = LearnerState(params, self._tx.init(params), jnp.zeros((), jnp.int32))
        n = jax.local_device_count()
        return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (n, *leaf.shape)), state)

    def _loss(self, params, batch, delta):
        q = jax.nn.relu(batch.obs @ params["torso"]) @ params["head"]
        chosen = jnp.take_along_axis(q, batch.action[:, None], axis=1)[:, 0]
        return optax.huber_loss(chosen, batch.target, delta).mean()

    def _step(self, state, batch, delta):
        loss, grads = jax.value_and_grad(self._loss)(state.params, batch, delta)
        grads = jax.lax.pmean(grads, axis_name="devices")
        updates, opt_state = self._tx.update(grads, state.opt_state, state.params)
        params = optax.apply_updates(state.params, updates)
        return LearnerState(params, opt_state, state.steps + 1), jax.lax.pmean(loss, "devices")

    def update(self, state, batch, delta=1.0):
        return self._sgd_step(state, batch, delta)
