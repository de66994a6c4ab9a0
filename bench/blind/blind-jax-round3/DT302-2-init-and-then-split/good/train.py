import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from config import Config


def critic_fn(x):
    return hk.nets.MLP([32, 1])(x)[..., 0]


class Experiment:
    def __init__(self, cfg):
        self.cfg = cfg
        self.rng = jax.random.PRNGKey(cfg.seed)
        self.critic = hk.without_apply_rng(hk.transform(critic_fn))
        self.tx = optax.adam(cfg.lr)
        self.mesh = Mesh(np.array(jax.devices()), ("data",))

    def _initial(self):
        self.rng, init_rng = jax.random.split(self.rng)
        params = self.critic.init(init_rng, jnp.zeros((1, 4)))
        return jax.device_put((params, self.tx.init(params)), NamedSharding(self.mesh, P()))

    def _build(self):
        def loss_fn(params, rng, x):
            noisy = x + self.cfg.noise * jax.random.normal(rng, x.shape)
            return jnp.mean((self.critic.apply(params, noisy) - x.sum(-1)) ** 2)

        @jax.jit
        def step(params, opt_state, rng, x):
            loss, grads = jax.value_and_grad(loss_fn)(params, rng, x)
            updates, opt_state = self.tx.update(grads, opt_state)
            return optax.apply_updates(params, updates), opt_state, loss

        return step

    def run(self):
        params, opt_state = self._initial()
        step = self._build()
        data = np.random.default_rng(self.cfg.seed)
        rows = NamedSharding(self.mesh, P("data"))
        for _ in range(self.cfg.steps):
            self.rng, step_rng = jax.random.split(self.rng)
            x = jax.device_put(data.normal(size=(self.cfg.batch, 4)).astype(np.float32), rows)
            params, opt_state, loss = step(params, opt_state, step_rng, x)
        return float(loss)


if __name__ == "__main__":
    print(Experiment(Config()).run())
