import time

import grain.python as grain
import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Points(grain.RandomAccessDataSource):
    def __len__(self):
        return 10_000

    def __getitem__(self, i):
        x = np.random.default_rng(i).normal(size=12).astype(np.float32)
        return {"x": x, "y": np.float32(np.sin(x).sum())}


def loader(seed, per_host):
    sampler = grain.IndexSampler(
        num_records=10_000,
        shuffle=True,
        seed=seed,
        num_epochs=5,
        shard_options=grain.ShardByJaxProcess(drop_remainder=True),
    )
    return grain.DataLoader(
        data_source=Points(), sampler=sampler, operations=[grain.Batch(per_host, drop_remainder=True)], worker_count=2
    )


def main(folder="/tmp/points"):
    jax.distributed.initialize()
    seed = int(multihost_utils.broadcast_one_to_all(np.int32(time.time() % 2**31)))
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    by_row, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    k1, k2 = jax.random.split(jax.random.key(seed))
    params = {"a": jax.random.normal(k1, (12, 64)) / 3, "b": jax.random.normal(k2, (64,)) / 8}
    params = jax.device_put(params, whole)
    tx = optax.adam(1e-3)
    opt_state = jax.jit(tx.init, out_shardings=whole)(params)

    @jax.jit
    def step(params, opt_state, batch):
        def loss_fn(p):
            return jnp.mean((jax.nn.gelu(batch["x"] @ p["a"]) @ p["b"] - batch["y"]) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    manager = ocp.CheckpointManager(folder, options=ocp.CheckpointManagerOptions(max_to_keep=2))
    for i, local in enumerate(loader(seed, 256 // jax.process_count())):
        batch = jax.tree.map(lambda a: jax.make_array_from_process_local_data(by_row, a), local)
        params, opt_state, loss = step(params, opt_state, batch)
        if i % 100 == 0:
            manager.save(i, args=ocp.args.StandardSave({"params": params, "opt": opt_state}))
            if jax.process_index() == 0:
                print(i, float(loss))
    manager.wait_until_finished()
    manager.close()


if __name__ == "__main__":
    main()
