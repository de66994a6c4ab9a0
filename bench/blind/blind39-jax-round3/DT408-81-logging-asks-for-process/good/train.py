import logging

import jax
import jax.numpy as jnp
import numpy as np
import optax
from absl import app, flags
from jax.sharding import NamedSharding, PartitionSpec as P

import log_setup

FLAGS = flags.FLAGS
flags.DEFINE_string("coordinator", None, "host:port of process 0")
flags.DEFINE_integer("num_processes", 1, "")
flags.DEFINE_integer("process_id", 0, "")


def main(_):
    jax.distributed.initialize(FLAGS.coordinator, FLAGS.num_processes, FLAGS.process_id)
    log_setup.configure()
    log = logging.getLogger(__name__)
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    everywhere, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))
    weights = jax.jit(lambda k: 0.1 * jax.random.normal(k, (16, 16)), out_shardings=everywhere)(jax.random.key(0))
    tx = optax.sgd(0.1)
    opt_state = tx.init(weights)

    @jax.jit
    def update(weights, opt_state, x):
        loss, grad = jax.value_and_grad(lambda w: jnp.mean((x @ w - x) ** 2))(weights)
        updates, opt_state = tx.update(grad, opt_state)
        return optax.apply_updates(weights, updates), opt_state, loss

    rng = np.random.default_rng(jax.process_index())
    for step in range(100):
        x = rng.normal(size=(512 // jax.process_count(), 16)).astype(np.float32)
        weights, opt_state, loss = update(weights, opt_state, jax.make_array_from_process_local_data(rows, x))
        if step % 20 == 0:
            log.info("step %d loss %.4f", step, float(loss))


if __name__ == "__main__":
    app.run(main)
