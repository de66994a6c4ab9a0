import functools

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


class QNet(nn.Module):
    actions: int

    @nn.compact
    def __call__(self, obs):
        return nn.Dense(self.actions)(nn.relu(nn.Dense(32)(obs)))


class Agent:
    def __init__(self, base_key, obs_dim, actions, tx):
        self.base_key = base_key
        self.net = QNet(actions)
        self.tx = tx
        init_key = jax.random.fold_in(base_key, 0)
        self.params = self.net.init(init_key, jnp.zeros((1, obs_dim)))
        self.target = self.net.init(init_key, jnp.zeros((1, obs_dim)))
        self.opt_state = tx.init(self.params)
        self.learn = jax.pmap(self._learn, axis_name="dev", in_axes=(None, None, None, 0), out_axes=None)
        self.act = jax.pmap(self._act, in_axes=(None, 0, 0, None))

    def _act(self, params, obs, key, epsilon):
        greedy_key, explore_key = jax.random.split(key)
        q = self.net.apply(params, obs)
        random_action = jax.random.randint(explore_key, (obs.shape[0],), 0, q.shape[-1])
        explore = jax.random.bernoulli(greedy_key, epsilon, (obs.shape[0],))
        return jnp.where(explore, random_action, q.argmax(-1))

    def _learn(self, params, target, opt_state, batch):
        obs, action, reward, nxt = batch

        def loss_fn(p):
            q = jnp.take_along_axis(self.net.apply(p, obs), action[:, None], 1)[:, 0]
            goal = reward + 0.9 * self.net.apply(target, nxt).max(-1)
            return jnp.mean(optax.huber_loss(q, jax.lax.stop_gradient(goal)))

        loss, grads = jax.value_and_grad(loss_fn)(params)
        grads = jax.lax.pmean(grads, "dev")
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "dev")

    def step(self, i, obs, epsilon):
        keys = jax.random.split(jax.random.fold_in(self.base_key, i + 1), jax.local_device_count())
        return self.act(self.params, obs, keys, epsilon)

    def update(self, i, batch):
        self.params, self.opt_state, loss = self.learn(self.params, self.target, self.opt_state, batch)
        if i % 10 == 9:
            self.target = self.params
        return loss
