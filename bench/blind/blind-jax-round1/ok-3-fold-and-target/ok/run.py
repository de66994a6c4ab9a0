import jax
import numpy as np
import optax

from agent import Agent


def main(steps=20, per_device=8):
    agent = Agent(jax.random.PRNGKey(9), obs_dim=4, actions=3, tx=optax.adam(1e-3))
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    obs = rng.normal(size=(n, per_device, 4)).astype(np.float32)
    for i in range(steps):
        action = agent.step(i, obs, max(0.05, 1.0 - i / steps))
        nxt = obs + 0.1 * rng.normal(size=obs.shape).astype(np.float32)
        reward = np.abs(nxt).sum(-1)
        loss = agent.update(i, (obs, action, reward, nxt))
        obs = nxt
    print("loss", float(loss))


if __name__ == "__main__":
    main()
