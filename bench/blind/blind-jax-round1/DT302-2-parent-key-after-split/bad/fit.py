import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from model import Regressor


@eqx.filter_value_and_grad
def mse(model, x, y):
    return jnp.mean((jax.vmap(model)(x) - y) ** 2)


@eqx.filter_jit(donate="all-except-first")
def make_step(batch, model, opt_state, tx):
    x, y = batch
    loss, grads = mse(model, x, y)
    updates, opt_state = tx.update(grads, opt_state, eqx.filter(model, eqx.is_inexact_array))
    return eqx.apply_updates(model, updates), opt_state, loss


def main(steps=20, batch=64):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    model = Regressor(32, 3, key=jax.random.key(5))
    tx = optax.adamw(1e-3)
    opt_state = tx.init(eqx.filter(model, eqx.is_inexact_array))
    model, opt_state = eqx.filter_shard((model, opt_state), NamedSharding(mesh, P()))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(batch, 6)).astype(np.float32)
        data = jax.device_put((x, x.sum(-1)), rows)
        model, opt_state, loss = make_step(data, model, opt_state, tx)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
