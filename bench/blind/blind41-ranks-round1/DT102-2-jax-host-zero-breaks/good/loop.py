import os

import jax
import jax.numpy as jnp
import numpy as np
from absl import app, flags, logging
from jax.experimental import mesh_utils, multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

FLAGS = flags.FLAGS
flags.DEFINE_string("workdir", "/shared/run", "Folder of the run.")
flags.DEFINE_integer("steps", 400, "Number of steps.")
flags.DEFINE_integer("batch", 256, "Global batch size.")


def make_step(sharding):
    @jax.jit
    def step(w, x, y):
        def loss_fn(w):
            return jnp.mean((x @ w - y) ** 2)

        loss, grad = jax.value_and_grad(loss_fn)(w)
        return w - 0.01 * grad, loss

    return step


def host_batches(seed, per_host):
    rng = np.random.default_rng([seed, jax.process_index()])
    while True:
        x = rng.normal(size=(per_host, 8)).astype(np.float32)
        yield x, x.sum(axis=1, keepdims=True)


def stop_requested(workdir):
    return os.path.exists(os.path.join(workdir, "STOP"))


def main(argv):
    del argv
    jax.distributed.initialize()
    mesh = Mesh(mesh_utils.create_device_mesh((jax.device_count(),)), ("data",))
    rows = NamedSharding(mesh, P("data"))
    step_fn = make_step(rows)
    w = jax.device_put(jnp.zeros((8, 1)), NamedSharding(mesh, P()))
    batches = host_batches(0, FLAGS.batch // jax.process_count())
    for step in range(FLAGS.steps):
        x, y = next(batches)
        x = jax.make_array_from_process_local_data(rows, x)
        y = jax.make_array_from_process_local_data(rows, y)
        w, loss = step_fn(w, x, y)
        if step % 20 == 0:
            seen = multihost_utils.process_allgather(np.asarray(step))
            if jax.process_index() == 0:
                logging.info("step %d loss %.4f (%d hosts)", step, float(loss), len(seen))
        wanted = jax.process_index() == 0 and stop_requested(FLAGS.workdir)
        if multihost_utils.broadcast_one_to_all(np.asarray(wanted)):
            logging.info("stop file found at step %d", step)
            break
    multihost_utils.sync_global_devices("end of training")


if __name__ == "__main__":
    app.run(main)
