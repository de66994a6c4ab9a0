import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Monitor:
    """Keeps the losses of single examples, to find the hard ones."""

    def __init__(self):
        self.worst = []

    def note(self, step, per_example):
        values = multihost_utils.process_allgather(per_example, tiled=True)
        self.worst.append((step, float(values.max()), int(values.argmax())))


def per_example_loss(w, x, y):
    return jnp.logaddexp(0.0, -y * (x @ w))


def make_step(tx, rows):
    def step(w, opt_state, x, y):
        def mean_loss(w):
            each = per_example_loss(w, x, y)
            return each.mean(), each

        grads, each = jax.grad(mean_loss, has_aux=True)(w)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(w, updates), opt_state, jax.lax.with_sharding_constraint(each, rows)

    return jax.jit(step, donate_argnums=(0, 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=4096)
    args = parser.parse_args()
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("examples",))
    rows, whole = NamedSharding(mesh, P("examples")), NamedSharding(mesh, P())
    tx = optax.sgd(0.5)
    w = jax.device_put(jnp.zeros(50), whole)
    opt_state = tx.init(w)
    step, monitor = make_step(tx, rows), Monitor()
    draw = np.random.default_rng((7, jax.process_index()))
    for i in range(args.steps):
        x = draw.normal(size=(args.batch // jax.process_count(), 50)).astype(np.float32)
        x_all = jax.make_array_from_process_local_data(rows, x)
        y_all = jax.make_array_from_process_local_data(rows, np.sign(x[:, 0]))
        w, opt_state, each = step(w, opt_state, x_all, y_all)
        if i % 50 == 0:
            monitor.note(i, each)
    if jax.process_index() == 0:
        print(monitor.worst)


if __name__ == "__main__":
    main()
