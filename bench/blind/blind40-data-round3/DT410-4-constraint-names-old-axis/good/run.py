import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

from block import block


def main(steps=50, dim=32, hidden=128, tp=2):
    mesh = jax.make_mesh((jax.device_count() // tp, tp), ("dp", "tp"))
    keys = jax.random.split(jax.random.key(0), 2)
    params = {"up": jax.random.normal(keys[0], (dim, hidden)) / 6, "down": jax.random.normal(keys[1], (hidden, dim)) / 12}
    layout = {"up": NamedSharding(mesh, P(None, "tp")), "down": NamedSharding(mesh, P("tp", None))}
    params = jax.device_put(params, layout)
    tx = optax.adam(1e-3)
    opt_state = tx.init(params)

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(params, opt_state, x):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((block(p, x, mesh) + x) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = jax.device_put(rng.normal(size=(16, dim)).astype(np.float32), NamedSharding(mesh, P("dp")))
        params, opt_state, loss = step(params, opt_state, x)
    print(float(loss))


if __name__ == "__main__":
    main()
