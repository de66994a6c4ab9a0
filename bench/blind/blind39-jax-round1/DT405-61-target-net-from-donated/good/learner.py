import jax
import jax.numpy as jnp
import optax


def q_values(params, obs):
    return jax.nn.relu(obs @ params["w1"]) @ params["w2"]


def td_loss(params, target, batch):
    chosen = jnp.take_along_axis(q_values(params, batch["obs"]), batch["action"][:, None], 1)[:, 0]
    bootstrap = batch["reward"] + 0.99 * (1 - batch["done"]) * q_values(target, batch["next_obs"]).max(-1)
    return optax.huber_loss(chosen, bootstrap).mean()


class Learner:
    def __init__(self, key, obs_dim, actions, sync_every=100):
        k1, k2 = jax.random.split(key)
        self.params = {"w1": 0.1 * jax.random.normal(k1, (obs_dim, 64)), "w2": 0.1 * jax.random.normal(k2, (64, actions))}
        self.tx = optax.adam(1e-3)
        self.opt_state = self.tx.init(self.params)
        self.target = jax.tree.map(jnp.copy, self.params)
        self.sync_every = sync_every
        self.updates = 0
        self._update = jax.jit(self._update_impl, donate_argnums=(0, 1))

    def _update_impl(self, params, opt_state, target, batch):
        loss, grads = jax.value_and_grad(td_loss)(params, target, batch)
        updates, opt_state = self.tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    def learn(self, batch):
        self.params, self.opt_state, loss = self._update(self.params, self.opt_state, self.target, batch)
        self.updates += 1
        if self.updates % self.sync_every == 0:
            self.target = jax.tree.map(jnp.copy, self.params)
        return loss
