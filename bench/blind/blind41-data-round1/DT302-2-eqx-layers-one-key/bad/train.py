import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from model import Tower


@eqx.filter_value_and_grad
def objective(model, x, y):
    return jnp.mean((jax.vmap(model)(x) - y) ** 2)


def main(steps=100):
    mesh = Mesh(np.asarray(jax.devices()), ("batch",))
    rows, whole = NamedSharding(mesh, P("batch")), NamedSharding(mesh, P())
    model = eqx.filter_shard(Tower(32, 4, jax.random.key(0)), whole)
    optim = optax.adam(1e-3)
    opt_state = optim.init(eqx.filter(model, eqx.is_array))

    @eqx.filter_jit
    def step(model, opt_state, x, y):
        loss, grads = objective(model, x, y)
        updates, opt_state = optim.update(grads, opt_state)
        return eqx.apply_updates(model, updates), opt_state, loss

    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(128, 5)).astype(np.float32)
        x, y = jax.device_put((x, x.sum(-1)), rows)
        model, opt_state, loss = step(model, opt_state, x, y)
    print(float(loss))


if __name__ == "__main__":
    main()
