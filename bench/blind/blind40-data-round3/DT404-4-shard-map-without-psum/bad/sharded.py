import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def apply(params, x):
    for w in params[:-1]:
        x = jax.nn.silu(x @ w)
    return x @ params[-1]


class DataParallel:
    def __init__(self, mesh, tx):
        self.mesh, self.tx = mesh, tx
        spec = P(mesh.axis_names[0])
        self.grads = jax.shard_map(
            self._grads, mesh=mesh, in_specs=(P(), spec, spec), out_specs=(P(), P()), check_vma=False
        )
        self.step = jax.jit(self._step)

    def _grads(self, params, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((apply(p, x) - y) ** 2))(params)
        axis = self.mesh.axis_names[0]
        return lax.pmean(loss, axis), grads

    def _step(self, params, opt_state, x, y):
        loss, grads = self.grads(params, x, y)
        updates, opt_state = self.tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss


def main(steps=150, batch=96):
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    trainer = DataParallel(mesh, optax.adam(3e-3))
    sizes = (8, 64, 64, 2)
    keys = jax.random.split(jax.random.key(1), len(sizes) - 1)
    params = [jax.random.normal(k, s) / s[0] ** 0.5 for k, s in zip(keys, zip(sizes, sizes[1:]))]
    opt_state = trainer.tx.init(params)
    rows = NamedSharding(mesh, P("data"))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(batch, 8)).astype(np.float32)
        x, y = jax.device_put((x, np.stack([x.sum(1), x.max(1)], 1)), rows)
        params, opt_state, loss = trainer.step(params, opt_state, x, y)
    print(float(loss))


if __name__ == "__main__":
    main()
