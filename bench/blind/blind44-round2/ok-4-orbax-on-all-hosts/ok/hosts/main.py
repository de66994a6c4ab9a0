import functools

import numpy as np

from hosts.ckpt import Store
from hosts.runtime import connect


def main(steps=200, local=16, dim=12):
    lead = connect()
    import jax
    import jax.numpy as jnp
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())

    @functools.partial(jax.jit, out_shardings=whole)
    def init(key):
        a, b = jax.random.split(key)
        return {"a": jax.random.normal(a, (dim, 32)) / 4, "b": jax.random.normal(b, (32, dim)) / 6}

    @functools.partial(jax.jit, donate_argnums=0, out_shardings=(whole, whole))
    def step(params, x):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((jnp.tanh(x @ p["a"]) @ p["b"] - x) ** 2))(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss

    store = Store("/gcs/run", every=50)
    begin, params = store.restore(init(jax.random.key(0)))
    rng = np.random.default_rng([begin, jax.process_index()])
    for i in range(begin, steps):
        x = rng.normal(size=(local, dim)).astype(np.float32)
        params, loss = step(params, jax.make_array_from_process_local_data(rows, x))
        store.save(i + 1, params)
        if lead and i % 50 == 0:
            print(i, float(loss))
    store.close()


if __name__ == "__main__":
    main()
