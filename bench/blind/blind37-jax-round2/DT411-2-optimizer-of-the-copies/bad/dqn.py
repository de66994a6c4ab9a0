import copy

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


class QNet(nn.Module):
    actions: int

    @nn.compact
    def __call__(self, obs):
        return nn.Dense(self.actions)(nn.relu(nn.Dense(64)(obs)))


class Learner:
    def __init__(self, obs_dim, actions, key, lr=1e-3, gamma=0.99):
        self.net = QNet(actions)
        self.gamma = gamma
        self.tx = optax.adam(lr)
        params = self.net.init(key, jnp.zeros((1, obs_dim)))
        self.params = jax_utils.replicate(params)
        self.opt_state = jax_utils.replicate(self.tx.init(self.params))
        self.target = self.params
        self._update = jax.pmap(self._sgd, axis_name="learner")

    def _sgd(self, params, target, opt_state, batch):
        def loss_fn(p):
            q = jnp.take_along_axis(self.net.apply(p, batch["obs"]), batch["act"][:, None], 1)[:, 0]
            best = self.net.apply(target, batch["next"]).max(-1)
            return optax.l2_loss(q, batch["rew"] + self.gamma * jax.lax.stop_gradient(best)).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        grads = jax.lax.pmean(grads, "learner")
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "learner")

    def update(self, batch):
        self.params, self.opt_state, loss = self._update(self.params, self.target, self.opt_state, batch)
        return float(loss[0])

    def refresh(self):
        self.target = self.params

    def weights(self):
        return jax.device_get(jax_utils.unreplicate(self.params))


def replay(n, obs_dim, actions):
    draw = np.random.default_rng(0)
    d = jax.local_device_count()
    while True:
        obs = draw.normal(size=(2, d, n // d, obs_dim)).astype(np.float32)
        yield {
            "obs": obs[0], "next": obs[1], "rew": obs[0].sum(-1),
            "act": draw.integers(0, actions, size=(d, n // d)),
        }


def main(updates=1000):
    learner = Learner(6, 3, jax.random.PRNGKey(0))
    for i, batch in zip(range(updates), replay(256, 6, 3)):
        loss = learner.update(batch)
        if i % 100 == 0:
            learner.refresh()
            print(i, loss)
    np.save("q.npy", learner.weights()["params"]["Dense_0"]["kernel"])


if __name__ == "__main__":
    main()
