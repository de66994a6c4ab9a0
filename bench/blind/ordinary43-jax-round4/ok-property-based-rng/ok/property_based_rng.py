"""A mixin with a property that splits, subclasses that draw twice in one expression."""
import abc

import jax
import jax.numpy as jnp
import numpy as np


class RngMixin:
    _key = None

    def seed(self, seed):
        self._key = jax.random.PRNGKey(seed)
        return self

    @property
    def rng(self):
        self._key, out = jax.random.split(self._key)
        return out

    def rngs(self, n):
        self._key, *out = jax.random.split(self._key, n + 1)
        return out


class Env(RngMixin, abc.ABC):
    @abc.abstractmethod
    def reset(self): ...

    @abc.abstractmethod
    def step(self, action): ...


class Walk(Env):
    def reset(self):
        self.x = jax.random.normal(self.rng, (2,))
        return self.x

    def step(self, action):
        noise = jax.random.normal(self.rng, (2,)) + 0.1 * jax.random.laplace(self.rng, (2,))
        self.x = 0.9 * self.x + 0.1 * noise + action
        return self.x, -float(jnp.sum(self.x**2))


class RandomAgent(RngMixin):
    def act(self, obs):
        direction, scale = self.rngs(2)
        return 0.1 * jax.random.normal(direction, obs.shape) * jax.random.uniform(scale)


def episode(env, agent, steps=5):
    obs, total = env.reset(), 0.0
    for _ in range(steps):
        obs, reward = env.step(agent.act(obs))
        total += reward
    return total


def main():
    env, agent = Walk().seed(0), RandomAgent().seed(1)
    returns = [episode(env, agent) for _ in range(4)]
    print(np.mean(returns), np.std(returns))
    again = [episode(env.seed(0), agent.seed(1)) for _ in range(2)]
    assert again[0] == again[1]


if __name__ == "__main__":
    main()
