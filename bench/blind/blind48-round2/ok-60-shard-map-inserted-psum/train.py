import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map

tx = optax.adam(1e-2)


def build(mesh):
    def local_loss(params, x, y):
        err = jnp.tanh(x @ params["a"]) @ params["b"] - y
        return jax.lax.pmean(jnp.mean(err**2), "rows")

    loss = shard_map(local_loss, mesh=mesh, in_specs=(P(), P("rows"), P("rows")), out_specs=P())

    @jax.jit
    def step(params, opt_state, x, y):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, value

    return step


def main(steps=50):
    mesh = Mesh(np.asarray(jax.devices()), ("rows",))
    rows = NamedSharding(mesh, P("rows"))
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"a": jax.random.normal(k1, (6, 16)) * 0.3, "b": jax.random.normal(k2, (16,)) * 0.3}
    opt_state = tx.init(params)
    step = build(mesh)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(64, 6)).astype(np.float32)
        x, y = jax.device_put((x, x[:, 0]), rows)
        params, opt_state, value = step(params, opt_state, x, y)
    print("loss", float(value))


if __name__ == "__main__":
    main()
