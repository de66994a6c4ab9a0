import os

from env import prepare

prepare(os.environ.get("SCRATCH", "/tmp"))

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
from jax.sharding import NamedSharding, PartitionSpec as P  # noqa: E402


def main(steps=100):
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tx = optax.adam(1e-2)
    w = jax.device_put(jax.random.normal(jax.random.key(0), (16,)), whole)
    opt_state = jax.device_put(tx.init(w), whole)

    @jax.jit
    def step(w, opt_state, x):
        loss, grad = jax.value_and_grad(lambda w: jnp.mean((x @ w - x[:, 0]) ** 2))(w)
        updates, opt_state = tx.update(grad, opt_state)
        return optax.apply_updates(w, updates), opt_state, loss

    rng = np.random.default_rng(0)
    for i in range(steps):
        x = jax.device_put(rng.normal(size=(64, 16)).astype(np.float32), rows)
        w, opt_state, loss = step(w, opt_state, x)
    print(float(loss))


if __name__ == "__main__":
    main()
