import jax
import jax.numpy as jnp
import numpy as np
import optax


class Agent:
    def __init__(self, tx, gamma=0.99):
        self.tx, self.gamma = tx, gamma
        self.update = jax.pmap(
            self._update,
            axis_name="learner",
            in_axes=(None, None, 0, 0),
            out_axes=None,
        )

    def init(self, key, obs_dim):
        params = {"v": 0.01 * jax.random.normal(key, (obs_dim,))}
        return params, self.tx.init(params)

    def _loss(self, params, obs, target):
        return jnp.mean((obs @ params["v"] - target) ** 2)

    def _update(self, params, opt_state, obs, target):
        loss, grads = jax.value_and_grad(self._loss)(params, obs, target)
        loss, grads = jax.lax.pmean((loss, grads), "learner")
        updates, opt_state = self.tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss


def returns(reward, gamma):
    out = np.zeros_like(reward)
    running = np.zeros(reward.shape[:-1], reward.dtype)
    for t in reversed(range(reward.shape[-1])):
        running = reward[..., t] + gamma * running
        out[..., t] = running
    return out


def main(steps=20, horizon=16, obs_dim=5):
    agent = Agent(optax.rmsprop(1e-2))
    params, opt_state = agent.init(jax.random.key(0), obs_dim)
    rng = np.random.default_rng(3)
    n = jax.local_device_count()
    for _ in range(steps):
        obs = rng.normal(size=(n, horizon, obs_dim)).astype(np.float32)
        target = returns(obs[..., 0], agent.gamma)
        params, opt_state, loss = agent.update(params, opt_state, obs, target)
    print(float(loss))


if __name__ == "__main__":
    main()
