import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

LIMIT = 50.0


def norm(tree):
    return jnp.sqrt(sum(jnp.vdot(leaf, leaf) for leaf in jax.tree.leaves(tree)))


def loss_fn(params, x, y):
    pred = jax.nn.relu(x @ params["a"]) @ params["b"]
    return jnp.mean((pred - y) ** 2)


def local_step(params, x, y):
    grads = jax.grad(loss_fn)(params, x, y)

    def reduce_and_apply(args):
        p, g = args
        g = lax.pmean(g, "data")
        return jax.tree.map(lambda a, b: a - 0.01 * b, p, g)

    def skip(args):
        return args[0]

    healthy = lax.pmax(norm(grads), "data") < LIMIT
    return lax.cond(healthy, reduce_and_apply, skip, (params, grads))


def main(steps=20):
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    step = jax.jit(
        jax.shard_map(local_step, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P(), check_vma=False)
    )
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"a": jax.random.normal(k1, (10, 24)) * 0.2, "b": jax.random.normal(k2, (24,)) * 0.2}
    rng = np.random.default_rng(7)
    for _ in range(steps):
        x = rng.normal(size=(64, 10)).astype(np.float32)
        params = step(params, x, x[:, 0] * x[:, 1])
    print({k: float(jnp.abs(v).max()) for k, v in params.items()})


if __name__ == "__main__":
    main()
