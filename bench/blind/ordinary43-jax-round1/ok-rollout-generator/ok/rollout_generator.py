"""Replay buffer and epsilon-greedy DQN outside jit, key kept on the agent."""
import collections
import random

import jax
import jax.numpy as jnp
import numpy as np
import optax


class Replay:
    def __init__(self, capacity, seed):
        self.data = collections.deque(maxlen=capacity)
        self.rng = random.Random(seed)

    def add(self, item):
        self.data.append(item)

    def sample(self, n):
        return [np.stack(c) for c in zip(*self.rng.sample(self.data, n))]

    def __len__(self):
        return len(self.data)


class Agent:
    def __init__(self, n_obs, n_act, seed=0):
        self.key = jax.random.PRNGKey(seed)
        self.key, w1, w2 = jax.random.split(self.key, 3)
        self.params = {"w1": jax.random.normal(w1, (n_obs, 16)) * 0.1, "w2": jax.random.normal(w2, (16, n_act)) * 0.1}
        self.target = self.params
        self.tx = optax.adam(1e-3)
        self.opt = self.tx.init(self.params)
        self.n_act = n_act
        self._update = jax.jit(self._update_fn)
        self._act = jax.jit(self._act_fn)

    @property
    def next_key(self):
        self.key, sub = jax.random.split(self.key)
        return sub

    @staticmethod
    def q(params, obs):
        return jnp.tanh(obs @ params["w1"]) @ params["w2"]

    def _act_fn(self, params, obs, eps, key):
        explore_key, action_key = jax.random.split(key)
        greedy = self.q(params, obs).argmax(-1)
        other = jax.random.randint(action_key, greedy.shape, 0, self.n_act)
        return jnp.where(jax.random.uniform(explore_key, greedy.shape) < eps, other, greedy)

    def act(self, obs, eps):
        return int(self._act(self.params, obs, eps, self.next_key))

    def _update_fn(self, params, target, opt, obs, act, rew, nxt):
        def loss(p):
            q = jnp.take_along_axis(self.q(p, obs), act[:, None], 1)[:, 0]
            return jnp.mean((q - (rew + 0.99 * self.q(target, nxt).max(-1))) ** 2)

        grads = jax.grad(loss)(params)
        updates, opt = self.tx.update(grads, opt)
        return optax.apply_updates(params, updates), opt

    def learn(self, batch):
        self.params, self.opt = self._update(self.params, self.target, self.opt, *batch)


def main():
    agent, replay = Agent(3, 2), Replay(1000, 0)
    rng = np.random.default_rng(0)
    obs = rng.normal(size=3).astype(np.float32)
    for t in range(100):
        act = agent.act(obs, max(0.05, 1 - t / 50))
        nxt = rng.normal(size=3).astype(np.float32)
        replay.add((obs, act, float(act == (obs[0] > 0)), nxt))
        obs = nxt
        if len(replay) >= 32:
            agent.learn(replay.sample(32))
        if t % 20 == 0:
            agent.target = agent.params
    print(agent.key)


if __name__ == "__main__":
    main()
