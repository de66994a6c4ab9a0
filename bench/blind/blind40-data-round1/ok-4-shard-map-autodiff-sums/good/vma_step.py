import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def loss_of(params, x, y):
    h = jax.nn.relu(x @ params["w1"])
    return jnp.mean((h @ params["w2"] - y) ** 2)


def build_step(mesh, tx):
    shards = mesh.shape["data"]

    def shard_grads(params, x, y):
        value, grads = jax.value_and_grad(lambda p: loss_of(p, x, y) / shards)(params)
        return lax.psum(value, "data"), grads

    mapped = jax.shard_map(
        shard_grads, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=(P(), P())
    )

    @jax.jit
    def step(params, opt_state, x, y):
        value, grads = mapped(params, x, y)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, value

    return step


def main(steps=100):
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    tx = optax.sgd(0.05, momentum=0.9)
    k1, k2 = jax.random.split(jax.random.key(9))
    params = {"w1": jax.random.normal(k1, (10, 64)) / 3, "w2": jax.random.normal(k2, (64, 1)) / 8}
    opt_state = tx.init(params)
    step = build_step(mesh, tx)
    rows = NamedSharding(mesh, P("data"))
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = rng.normal(size=(128, 10)).astype(np.float32)
        x, y = jax.device_put((x, x[:, :1] - x[:, 1:2]), rows)
        params, opt_state, value = step(params, opt_state, x, y)
    print("loss", float(value))


if __name__ == "__main__":
    main()
