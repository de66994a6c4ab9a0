import functools

from absl import app, flags
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

import gnn

FLAGS = flags.FLAGS
flags.DEFINE_integer("seed", 0, "")
flags.DEFINE_integer("steps", 2000, "")
flags.DEFINE_integer("batch", 32, "graphs on each device")
flags.DEFINE_string("coordinator", None, "host:port of process 0")
flags.DEFINE_integer("num_hosts", 1, "")
flags.DEFINE_integer("host", 0, "")


def graphs(seed, batch):
    draw = np.random.default_rng([seed, jax.process_index()])
    devices = jax.local_device_count()
    while True:
        nodes = draw.normal(size=(devices, batch, 8, 6)).astype(np.float32)
        adjacency = (draw.random((devices, batch, 8, 8)) < 0.3).astype(np.float32)
        yield nodes, adjacency, (adjacency @ nodes).sum((-1, -2))


def main(_):
    jax.distributed.initialize(FLAGS.coordinator, FLAGS.num_hosts, FLAGS.host)
    schedule = optax.exponential_decay(1e-3, 500, 0.9)
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(schedule))

    @functools.partial(jax.pmap, axis_name="hosts_and_devices", donate_argnums=(0, 1))
    def step(params, opt_state, nodes, adjacency, target):
        def loss_fn(p):
            return jnp.square(gnn.net.apply(p, nodes, adjacency) - target).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        grads = jax.lax.pmean(grads, "hosts_and_devices")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "hosts_and_devices")

    params = gnn.net.init(jax.random.PRNGKey(FLAGS.seed), *gnn.example())
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    for i, (nodes, adjacency, target) in zip(range(FLAGS.steps), graphs(FLAGS.seed, FLAGS.batch)):
        params, opt_state, loss = step(params, opt_state, nodes, adjacency, target)
        if i % 200 == 0 and jax.process_index() == 0:
            print(i, float(loss[0]))


if __name__ == "__main__":
    app.run(main)
