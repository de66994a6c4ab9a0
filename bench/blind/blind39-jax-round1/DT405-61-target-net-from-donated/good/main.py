import jax
import numpy as np

from learner import Learner


class Replay:
    def __init__(self, obs_dim, actions, capacity=10_000):
        rng = np.random.default_rng(0)
        self.obs = rng.normal(size=(capacity, obs_dim)).astype(np.float32)
        self.action = rng.integers(0, actions, size=capacity)
        self.reward = self.obs.sum(-1) * (self.action - 1)
        self.done = (rng.random(capacity) < 0.02).astype(np.float32)
        self._rng = np.random.default_rng(1)

    def sample(self, size):
        i = self._rng.integers(0, len(self.obs) - 1, size=size)
        return {
            "obs": self.obs[i],
            "next_obs": self.obs[i + 1],
            "action": self.action[i],
            "reward": self.reward[i],
            "done": self.done[i],
        }


def main(steps=1000):
    replay = Replay(obs_dim=8, actions=3)
    learner = Learner(jax.random.key(2), obs_dim=8, actions=3)
    for step in range(steps):
        loss = learner.learn(replay.sample(256))
        if step % 200 == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
