import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def my_rows(path):
    table = np.load(path, mmap_mode="r")
    each = len(table) // jax.process_count()
    return table[jax.process_index() * each : (jax.process_index() + 1) * each]


def main(path="table.npy", steps=1000, per_host=512):
    rows = my_rows(path)
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    split = NamedSharding(mesh, P("data"))
    tx = optax.adam(1e-3)
    params = jax.device_put(jnp.zeros(rows.shape[1] - 1), NamedSharding(mesh, P()))
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, block):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((block[:, :-1] @ p - block[:, -1]) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(jax.process_index())
    for i in range(steps):
        local = np.asarray(rows[np.sort(rng.integers(0, len(rows), per_host))])
        block = jax.make_array_from_process_local_data(split, local)
        params, opt_state, loss = step(params, opt_state, block)
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
