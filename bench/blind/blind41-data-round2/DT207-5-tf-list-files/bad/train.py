import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from pipeline import train_batches


def loss_fn(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def main(pattern="gs://bucket/train-*.tfrecord", per_host=256, steps=10_000):
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("d",))
    rows, whole = NamedSharding(mesh, P("d")), NamedSharding(mesh, P())
    tx = optax.sgd(1e-2)
    w = jax.device_put(jnp.zeros(32), whole)
    opt = jax.jit(tx.init, out_shardings=whole)(w)

    @jax.jit
    def step(w, opt, x, y):
        loss, g = jax.value_and_grad(loss_fn)(w, x, y)
        updates, opt = tx.update(g, opt)
        return optax.apply_updates(w, updates), opt, loss

    for i, batch in zip(range(steps), train_batches(pattern, per_host, seed=0)):
        x = jax.make_array_from_process_local_data(rows, batch["x"])
        y = jax.make_array_from_process_local_data(rows, batch["y"])
        w, opt, loss = step(w, opt, x, y)
    if jax.process_index() == 0:
        print(float(loss))


if __name__ == "__main__":
    main()
