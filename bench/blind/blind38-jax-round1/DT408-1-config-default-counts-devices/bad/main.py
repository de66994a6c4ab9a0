import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from settings import from_command_line


def synthetic(settings, step):
    rng = np.random.default_rng([step, jax.process_index()])
    x = rng.normal(size=(settings.global_batch // settings.hosts, settings.width)).astype(np.float32)
    return x, x.sum(axis=1, keepdims=True)


def connect(settings):
    if settings.hosts > 1:
        jax.distributed.initialize(settings.coordinator, settings.hosts, settings.host)
    if jax.process_index() == 0:
        print(f"{jax.process_count()} hosts, {jax.device_count()} devices")


def main():
    settings = from_command_line()
    connect(settings)
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tx = optax.adam(settings.lr)
    w = jax.device_put(0.01 * jax.random.normal(jax.random.key(0), (settings.width, 1)), whole)
    opt_state = jax.device_put(tx.init(w), whole)

    def loss_fn(w, x, y):
        return jnp.mean((x @ w - y) ** 2)

    @jax.jit
    def step(w, opt_state, x, y):
        loss, grad = jax.value_and_grad(loss_fn)(w, x, y)
        updates, opt_state = tx.update(grad, opt_state)
        return optax.apply_updates(w, updates), opt_state, loss

    for i in range(settings.steps):
        x, y = (jax.make_array_from_process_local_data(rows, a) for a in synthetic(settings, i))
        w, opt_state, loss = step(w, opt_state, x, y)
        if i % 10 == 0 and jax.process_index() == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
