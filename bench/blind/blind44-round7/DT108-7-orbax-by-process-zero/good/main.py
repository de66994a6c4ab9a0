import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from orb.saver import Saver


def main(steps=200):
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("fsdp",))
    rows = NamedSharding(mesh, P("fsdp"))
    init = jax.jit(lambda key: {"w": jax.random.normal(key, (1024, 16))}, out_shardings={"w": rows})
    params = init(jax.random.key(0))
    update = jax.jit(lambda p, x: jax.tree.map(lambda a, g: a - 0.1 * g, p, jax.grad(lambda p: jnp.mean((p["w"] @ x) ** 2))(p)))
    save = Saver("/gcs/run", 50)
    for step in range(1, steps + 1):
        params = update(params, jnp.ones((16, 4)) / step)
        save(step, params)


if __name__ == "__main__":
    main()
