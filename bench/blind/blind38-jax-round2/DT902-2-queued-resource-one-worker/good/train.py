import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def main(steps=1000, batch=4096):
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tx = optax.adam(1e-3)
    w = jax.device_put(jax.random.normal(jax.random.key(0), (64,)), whole)
    opt_state = jax.device_put(tx.init(w), whole)

    @jax.jit
    def step(w, opt_state, x):
        loss, grad = jax.value_and_grad(lambda w: jnp.mean((x @ w - x[:, 0]) ** 2))(w)
        updates, opt_state = tx.update(grad, opt_state)
        return optax.apply_updates(w, updates), opt_state, loss

    rng = np.random.default_rng(jax.process_index())
    for i in range(steps):
        local = rng.normal(size=(batch // jax.process_count(), 64)).astype(np.float32)
        w, opt_state, loss = step(w, opt_state, jax.make_array_from_process_local_data(rows, local))
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
