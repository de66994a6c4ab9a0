import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import PartitionSpec as P


def local_loss(params, x, y):
    h = jax.nn.softplus(x @ params["a"])
    return jnp.mean((h @ params["b"] - y) ** 2)


def build(mesh, tx):
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(local_loss)(params, x, y)
        grads = jax.tree.map(lambda g: g / mesh.size, grads)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "data")

    return jax.jit(
        jax.shard_map(
            step,
            mesh=mesh,
            in_specs=(P(), P(), P("data"), P("data")),
            out_specs=P(),
            check_vma=True,
        )
    )


def main(steps=20):
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    tx = optax.sgd(0.05)
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"a": 0.3 * jax.random.normal(k1, (5, 16)), "b": 0.3 * jax.random.normal(k2, (16,))}
    opt_state = tx.init(params)
    step = build(mesh, tx)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(64, 5)).astype(np.float32)
        params, opt_state, loss = step(params, opt_state, x, x.prod(-1))
    print(float(loss))


if __name__ == "__main__":
    main()
