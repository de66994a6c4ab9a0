import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from config import Config


class MLP(nn.Module):
    cfg: Config

    @nn.compact
    def __call__(self, x):
        for _ in range(self.cfg.depth):
            x = nn.gelu(nn.Dense(self.cfg.width, dtype=self.cfg.dtype)(x))
        return nn.Dense(1)(x)[..., 0]


def main(steps=500):
    jax.distributed.initialize()
    cfg = Config()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))
    model, tx = MLP(cfg), optax.adam(1e-3)
    params = jax.jit(model.init, out_shardings=whole)(jax.random.PRNGKey(0), jnp.zeros((1, 24)))
    opt_state = jax.jit(tx.init, out_shardings=whole)(params)

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((model.apply(p, x) - y) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng([1, jax.process_index()])
    for i in range(steps):
        x = rng.normal(size=(cfg.batch_per_device * jax.local_device_count(), 24)).astype(np.float32)
        args = [jax.make_array_from_process_local_data(rows, a) for a in (x, np.tanh(x).sum(1))]
        params, opt_state, loss = step(params, opt_state, *args)
        if i % 50 == 0 and jax.process_index() == 0:
            print(i, float(loss), flush=True)
    multihost_utils.sync_global_devices("end")


if __name__ == "__main__":
    main()
