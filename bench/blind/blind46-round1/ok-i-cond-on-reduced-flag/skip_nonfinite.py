import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P


def loss_fn(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def step(w, x, y):
    grads = jax.grad(loss_fn)(w, x, y)
    bad = jnp.any(~jnp.isfinite(grads)).astype(jnp.int32)
    any_bad = lax.psum(bad, "dp") > 0
    return lax.cond(
        any_bad,
        lambda w, g: w,
        lambda w, g: w - 0.1 * lax.pmean(g, "dp"),
        w,
        grads,
    )


def main(steps=10):
    mesh = Mesh(np.asarray(jax.devices()), ("dp",))
    run = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=(P(), P("dp"), P("dp")), out_specs=P(), check_vma=False))
    w = jnp.zeros((6,))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(32, 6)).astype(np.float32)
        w = run(w, x, x[:, 1])
    print(np.asarray(w))


if __name__ == "__main__":
    main()
