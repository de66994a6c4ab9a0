"""Multi-host jit with shardings, jax.distributed, host slices of a global batch."""
import argparse
import logging
import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import mesh_utils, multihost_utils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

log = logging.getLogger(__name__)


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--global-batch", type=int, default=32)
    p.add_argument("--steps", type=int, default=10)
    p.add_argument("--coordinator", default=None)
    p.add_argument("--num-processes", type=int, default=1)
    p.add_argument("--process-id", type=int, default=0)
    p.add_argument("--out", default="/tmp/run")
    return p.parse_args()


def setup(args):
    if args.num_processes > 1:
        jax.distributed.initialize(args.coordinator, args.num_processes, args.process_id)
    logging.basicConfig(level=logging.INFO if jax.process_index() == 0 else logging.WARNING)
    devices = mesh_utils.create_device_mesh((jax.device_count(),))
    return Mesh(devices, ("data",))


def host_batches(global_batch, seed):
    assert global_batch % jax.process_count() == 0
    per_host = global_batch // jax.process_count()
    rng = np.random.default_rng([seed, jax.process_index()])
    while True:
        x = rng.normal(size=(per_host, 16)).astype(np.float32)
        yield {"x": x, "y": x[:, :1] * 2}


def main():
    args = parse_args()
    mesh = setup(args)
    data = NamedSharding(mesh, P("data"))
    replicated = NamedSharding(mesh, P())
    tx = optax.sgd(0.1)

    @jax.jit
    def init(key):
        params = {"w": jax.random.normal(key, (16, 1)) * 0.1}
        return params, tx.init(params)

    params, opt_state = jax.jit(init, out_shardings=replicated)(jax.random.key(0))

    @jax.jit
    def step(params, opt_state, batch):
        def loss_fn(params):
            return jnp.mean((batch["x"] @ params["w"] - batch["y"]) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    stream = host_batches(args.global_batch, 1)
    for i in range(args.steps):
        batch = jax.tree.map(lambda x: jax.make_array_from_process_local_data(data, x), next(stream))
        params, opt_state, loss = step(params, opt_state, batch)
        if i % 5 == 0:
            log.info("step %d loss %.4f", i, float(loss))
    if jax.process_index() == 0:
        os.makedirs(args.out, exist_ok=True)
        np.savez(os.path.join(args.out, "params.npz"), w=np.asarray(params["w"]))
    multihost_utils.sync_global_devices("saved")


if __name__ == "__main__":
    main()
