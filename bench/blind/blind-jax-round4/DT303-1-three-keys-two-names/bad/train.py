import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from model import AutoEncoder


@eqx.filter_jit
def step(model, opt_state, tx, x):
    loss, grads = eqx.filter_value_and_grad(lambda m: jnp.mean((jax.vmap(m)(x) - x) ** 2))(model)
    updates, opt_state = tx.update(grads, opt_state)
    return eqx.apply_updates(model, updates), opt_state, loss


def main(steps=10):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    model = AutoEncoder(12, 3, jax.random.key(0))
    tx = optax.adam(1e-3)
    opt_state = tx.init(eqx.filter(model, eqx.is_array))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = jax.device_put(rng.normal(size=(32, 12)).astype(np.float32), NamedSharding(mesh, P("data")))
        model, opt_state, loss = step(model, opt_state, tx, x)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
