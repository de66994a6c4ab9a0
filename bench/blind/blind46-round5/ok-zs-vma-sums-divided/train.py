import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P


def main(steps=10):
    mesh = jax.make_mesh((jax.device_count(),), ("dp",))
    rows = NamedSharding(mesh, P("dp"))

    def mean_loss(w, x, y):
        err = (x @ w - y) ** 2
        return lax.psum(jnp.sum(err), "dp") / lax.psum(x.shape[0], "dp")

    sharded = jax.shard_map(mean_loss, mesh=mesh, in_specs=(P(), P("dp"), P("dp")), out_specs=P())

    @jax.jit
    def step(w, x, y):
        loss, g = jax.value_and_grad(sharded)(w, x, y)
        return w - 0.1 * g, loss

    w = jnp.zeros((4,))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(64, 4)).astype(np.float32)
        w, loss = step(w, *jax.device_put((x, x.sum(-1)), rows))
    print(float(loss))


if __name__ == "__main__":
    main()
