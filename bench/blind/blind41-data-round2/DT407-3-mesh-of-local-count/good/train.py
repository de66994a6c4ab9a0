import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

from mesh import two_level_mesh


def main(steps=100):
    jax.distributed.initialize()
    mesh = two_level_mesh(2)
    rows = NamedSharding(mesh, P("data"))
    w = jax.jit(lambda: jnp.zeros((64, 64)), out_shardings=NamedSharding(mesh, P(None, "model")))()
    step = jax.jit(lambda w, x: w - 0.1 * jax.grad(lambda v: jnp.mean((x @ v - x) ** 2))(w))
    rng = np.random.default_rng(jax.process_index())
    for _ in range(steps):
        x = jax.make_array_from_process_local_data(rows, rng.normal(size=(32, 64)).astype(np.float32))
        w = step(w, x)
    if jax.process_index() == 0:
        print("done")


if __name__ == "__main__":
    main()
