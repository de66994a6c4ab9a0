import functools

import haiku as hk
import jax
import jax.numpy as jnp
import optax


def net_fn(x, is_training):
    h = jax.nn.relu(hk.Linear(64)(x))
    if is_training:
        h = hk.dropout(hk.next_rng_key(), 0.1, h)
    return hk.Linear(3)(h)


class Updater:
    def __init__(self, schedule):
        self._net = hk.transform(net_fn)
        self._schedule = schedule
        self._opt = optax.scale_by_adam()
        self._update = jax.pmap(self._update_fn, axis_name="i", donate_argnums=(0, 1))

    def init(self, rng, x):
        params = self._net.init(rng, x, True)
        return params, self._opt.init(params)

    def _loss(self, params, rng, batch):
        logits = self._net.apply(params, rng, batch["x"], True)
        labels = jax.nn.one_hot(batch["y"], logits.shape[-1])
        return -jnp.mean(jnp.sum(labels * jax.nn.log_softmax(logits), axis=-1))

    def _update_fn(self, params, opt_state, rng, batch, lr):
        loss, grads = jax.value_and_grad(self._loss)(params, rng, batch)
        grads, loss = jax.lax.pmean((grads, loss), axis_name="i")
        updates, opt_state = self._opt.update(grads, opt_state)
        updates = jax.tree_util.tree_map(lambda u: -lr * u, updates)
        return optax.apply_updates(params, updates), opt_state, loss

    def update(self, step, params, opt_state, rng, batch):
        lr = self._schedule(step)
        return self._update(params, opt_state, rng, batch, lr)
