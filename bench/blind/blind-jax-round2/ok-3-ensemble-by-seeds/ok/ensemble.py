import functools

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax


def net_fn(x):
    h = jax.nn.relu(hk.Linear(24)(x))
    h = hk.dropout(hk.next_rng_key(), 0.1, h)
    return hk.Linear(1)(h)[..., 0]


class Ensemble:
    def __init__(self, key, dim):
        self.net = hk.transform(net_fn)
        self.tx = optax.adam(3e-3)
        self.n = jax.local_device_count()
        init_key, self.key = jax.random.split(key)
        self.params, self.opt_state = jax.pmap(functools.partial(self._init, dim=dim))(jax.random.split(init_key, self.n))
        self._step = jax.pmap(self._member_step, axis_name="member", in_axes=(0, 0, 0, None, None))
        self._predict = jax.pmap(self._member_predict, axis_name="member", in_axes=(0, 0, None), out_axes=None)

    def _init(self, key, dim):
        params = self.net.init(key, jnp.zeros((1, dim)))
        return params, self.tx.init(params)

    def _member_step(self, params, opt_state, key, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((self.net.apply(p, key, x) - y) ** 2))(params)
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    def _member_predict(self, params, key, x):
        return jax.lax.pmean(self.net.apply(params, key, x), "member")

    def keys(self):
        self.key, sub = jax.random.split(self.key)
        return jax.random.split(sub, self.n)

    def fit(self, batches):
        for x, y in batches:
            self.params, self.opt_state, losses = self._step(self.params, self.opt_state, self.keys(), x, y)
        return np.asarray(losses)

    def predict(self, x):
        return np.asarray(self._predict(self.params, self.keys(), x))
