import jax

jax.distributed.initialize()

import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Mlp(nnx.Module):
    def __init__(self, rngs):
        self.up = nnx.Linear(14, 56, rngs=rngs)
        self.down = nnx.Linear(56, 1, rngs=rngs)

    def __call__(self, x):
        return self.down(nnx.gelu(self.up(x)))[:, 0]


class Spread:
    """Do the hosts see equally hard data?"""

    def __init__(self, limit):
        self.limit = limit
        self.local = []

    def add(self, value):
        self.local.append(value)

    def _values(self):
        return np.asarray(multihost_utils.process_allgather(np.float32(np.mean(self.local))))

    def check(self, step):
        if jax.process_index() == 0 and np.ptp(values := self._values()) > self.limit:
            print(f"step {step}: input statistics of the hosts differ: {values}")
        self.local.clear()


@nnx.jit
def update(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(model)
    optimizer.update(model, grads)
    return loss


def main(steps=300, per_host=40):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    model = Mlp(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    rng = np.random.default_rng([8, jax.process_index()])
    spread = Spread(0.2)
    for step in range(1, steps + 1):
        x = rng.standard_normal((per_host, 14), dtype=np.float32)
        spread.add(x.mean())
        gx = jax.make_array_from_process_local_data(rows, x)
        gy = jax.make_array_from_process_local_data(rows, x.max(axis=1))
        update(model, optimizer, gx, gy)
        if step % 100 == 0:
            spread.check(step)


if __name__ == "__main__":
    main()
