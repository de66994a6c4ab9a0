import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from sizes import Sizes


def host_stream(rows, dim):
    rng = np.random.default_rng([3, jax.process_index()])
    while True:
        yield rng.normal(size=(rows, dim)).astype(np.float32)


def main(steps=300, dim=24):
    jax.distributed.initialize()
    sizes = Sizes(global_batch=2048)
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    by_row = NamedSharding(mesh, P("data"))
    tx = optax.sgd(0.1 * sizes.global_batch / 256)
    params = jax.device_put({"w": jnp.zeros((dim, dim))}, NamedSharding(mesh, P()))
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, x):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p["w"] - jnp.roll(x, 1, axis=1)) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    for i, local in zip(range(steps), host_stream(sizes.per_host, dim)):
        x = jax.make_array_from_process_local_data(by_row, local)
        params, opt_state, loss = step(params, opt_state, x)
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
