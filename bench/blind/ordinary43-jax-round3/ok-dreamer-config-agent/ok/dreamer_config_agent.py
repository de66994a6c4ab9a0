"""Agent with init_policy/policy/train methods that carry their states; seeds counted from a np rng (dreamer style)."""
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Agent:
    def __init__(self, config):
        self.config = config
        self.rng = np.random.default_rng(config["seed"])
        self.devices = jax.local_devices()[: config["devices"]]
        self.tx = optax.adam(config["lr"])
        self._train = jax.pmap(self._train_fn, "i", devices=self.devices)
        self._policy = jax.jit(self._policy_fn, static_argnames="mode")
        params = self._init(self._next_rngs())
        self.params = self._replicate(params)
        self.opt = self._replicate(self.tx.init(params))

    def _next_rngs(self, mirror=False):
        high = np.iinfo(np.uint32).max
        if mirror:
            return jax.random.PRNGKey(int(self.rng.integers(high)))
        return jax.random.wrap_key_data(self.rng.integers(0, high, 2, dtype=np.uint32), impl="threefry2x32")

    def _device_rngs(self):
        return jax.random.split(self._next_rngs(), len(self.devices))

    def _replicate(self, tree):
        return jax.tree.map(lambda x: jnp.stack([x] * len(self.devices)), tree)

    def _init(self, rng):
        enc, act = jax.random.split(rng)
        return {"enc": jax.random.normal(enc, (6, 8)) * 0.3, "act": jax.random.normal(act, (8, 3)) * 0.3}

    def init_policy(self, batch):
        return jnp.zeros((batch, 8))

    def _policy_fn(self, params, carry, obs, rng, mode):
        carry = 0.5 * carry + jnp.tanh(obs @ params["enc"])
        logits = carry @ params["act"]
        if mode == "eval":
            return logits.argmax(-1), carry
        return jax.random.categorical(rng, logits), carry

    def policy(self, obs, carry, mode="train"):
        params = jax.tree.map(lambda x: x[0], self.params)
        return self._policy(params, carry, obs, self._next_rngs(), mode=mode)

    def _train_fn(self, params, opt, data, rng):
        def loss(p):
            noise = 0.1 * jax.random.normal(rng, data["obs"].shape)
            h = jnp.tanh((data["obs"] + noise) @ p["enc"])
            logp = jax.nn.log_softmax(h @ p["act"])
            return -jnp.mean(jnp.take_along_axis(logp, data["act"][:, None], 1)[:, 0] * data["rew"])

        value, grads = jax.value_and_grad(loss)(params)
        grads = jax.lax.pmean(grads, "i")
        upd, opt = self.tx.update(grads, opt)
        return optax.apply_updates(params, upd), opt, jax.lax.pmean(value, "i")

    def train(self, data):
        n = len(self.devices)
        data = {k: v.reshape((n, -1) + v.shape[1:]) for k, v in data.items()}
        self.params, self.opt, loss = self._train(self.params, self.opt, data, self._device_rngs())
        return float(loss[0])


def main():
    agent = Agent({"seed": 0, "devices": 4, "lr": 1e-3})
    env = np.random.default_rng(0)
    carry = agent.init_policy(16)
    for step in range(5):
        obs = env.normal(size=(16, 6)).astype(np.float32)
        act, carry = agent.policy(obs, carry)
        data = {"obs": obs, "act": np.asarray(act), "rew": obs[:, 0] * (np.asarray(act) == 1)}
        print(step, agent.train(data))
    act, _ = agent.policy(obs, agent.init_policy(16), mode="eval")
    print(np.bincount(np.asarray(act), minlength=3))


if __name__ == "__main__":
    main()
