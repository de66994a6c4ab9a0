import pickle

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def forward(params, x):
    return jax.nn.gelu(x @ params["up"]) @ params["down"]


class Fsdp:
    def __init__(self, dim, hidden, lr):
        self.mesh = Mesh(np.asarray(jax.devices()), ("fsdp",))
        shard = NamedSharding(self.mesh, P("fsdp"))
        k1, k2 = jax.random.split(jax.random.key(0))
        params = {"up": jax.random.normal(k1, (dim, hidden)) / 8, "down": jax.random.normal(k2, (hidden, dim)) / 16}
        self.params = jax.device_put(params, shard)
        self.tx = optax.adamw(lr)
        self.opt_state = self.tx.init(self.params)
        self.rows = NamedSharding(self.mesh, P("fsdp"))
        self.step = jax.jit(self._step, donate_argnums=(0, 1))

    def _step(self, params, opt_state, x):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((forward(p, x) - x) ** 2))(params)
        updates, opt_state = self.tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    def export(self, path):
        weights = jax.device_get(self.params)
        if jax.process_index() == 0:
            with open(path, "wb") as file:
                pickle.dump(weights, file)
        multihost_utils.sync_global_devices("exported")


def main(steps=200, dim=64):
    jax.distributed.initialize()
    trainer = Fsdp(dim, 256, 1e-3)
    rng = np.random.default_rng([1, jax.process_index()])
    for _ in range(steps):
        local = rng.normal(size=(8 * jax.local_device_count(), dim)).astype(np.float32)
        x = jax.make_array_from_process_local_data(trainer.rows, local)
        trainer.params, trainer.opt_state, loss = trainer.step(trainer.params, trainer.opt_state, x)
    trainer.export("weights.pkl")


if __name__ == "__main__":
    main()
