import bootstrap  # noqa: F401  (first, on purpose)

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P


def init(key, dim=64):
    q, v = jax.random.split(key)
    return {"q": jax.random.normal(q, (dim, dim)) / 8, "v": jax.random.normal(v, (dim, dim)) / 8}


def loss_fn(params, x):
    scores = jax.nn.softmax(jnp.einsum("btd,de,bse->bts", x, params["q"], x) / 8)
    return jnp.mean((scores @ (x @ params["v"]) - x) ** 2)


def main(steps=100):
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    params = jax.device_put(init(jax.random.key(0)), NamedSharding(mesh, P()))
    tx = optax.adamw(1e-3)
    opt_state = tx.init(params)

    @jax.jit
    def update(params, opt_state, x):
        loss, grads = jax.value_and_grad(loss_fn)(params, x)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(1)
    for step in range(steps):
        x = jax.device_put(rng.normal(size=(32, 16, 64)).astype(np.float32), NamedSharding(mesh, P("data")))
        params, opt_state, loss = update(params, opt_state, x)
    print(float(loss))


if __name__ == "__main__":
    main()
