import argparse
import logging
import os

import jax
import numpy as np
import optax
import orbax.checkpoint as ocp

from mesh import data_mesh, replicated, to_global

logging.basicConfig(level=logging.INFO)
log = logging.getLogger(__name__)


def init_params(key, features, hidden, classes):
    k1, k2 = jax.random.split(key)
    return {
        "hidden": jax.random.normal(k1, (features, hidden)) / np.sqrt(features),
        "out": jax.random.normal(k2, (hidden, classes)) / np.sqrt(hidden),
    }


def local_batches(pattern, per_host, seed):
    shard = np.load(pattern.format(jax.process_index()))
    rng = np.random.default_rng([seed, jax.process_index()])
    while True:
        pick = rng.integers(0, len(shard["x"]), per_host)
        yield {"x": shard["x"][pick], "y": shard["y"][pick]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shards", default="/data/shard_{:03d}.npz")
    parser.add_argument("--global-batch", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--out", default="/ckpt/tabular")
    args = parser.parse_args()
    jax.distributed.initialize(
        coordinator_address=os.environ["COORDINATOR"],
        num_processes=int(os.environ["NUM_HOSTS"]),
        process_id=int(os.environ["HOST_ID"]),
    )
    mesh = data_mesh()
    tx = optax.adamw(optax.cosine_decay_schedule(1e-3, args.steps))

    @jax.jit
    def step(params, opt_state, batch):
        def loss_fn(p):
            logits = jax.nn.relu(batch["x"] @ p["hidden"]) @ p["out"]
            return optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    params = jax.device_put(init_params(jax.random.key(0), 128, 512, 20), replicated(mesh))
    opt_state = jax.device_put(tx.init(params), replicated(mesh))
    stream = local_batches(args.shards, args.global_batch // jax.process_count(), seed=0)
    with ocp.CheckpointManager(args.out, options=ocp.CheckpointManagerOptions(max_to_keep=2)) as manager:
        for i in range(args.steps):
            params, opt_state, loss = step(params, opt_state, to_global(mesh, next(stream)))
            if i % 1000 == 999:
                manager.save(i, args=ocp.args.StandardSave({"params": params, "opt_state": opt_state}))
            if i % 100 == 0 and jax.process_index() == 0:
                log.info("step %d loss %.4f", i, loss)


if __name__ == "__main__":
    main()
