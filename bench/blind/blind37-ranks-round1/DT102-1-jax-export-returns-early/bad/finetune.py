import dataclasses
import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import optax
from absl import app, flags
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

FLAGS = flags.FLAGS
flags.DEFINE_integer("steps", 40, "optimizer steps")
flags.DEFINE_string("export_dir", "export", "where the final weights go")


@dataclasses.dataclass(frozen=True)
class Hparams:
    width: int = 32
    classes: int = 4
    lr: float = 1e-2
    per_host_batch: int = 16


def init(key, hp):
    k1, k2 = jax.random.split(key)
    return {
        "w1": jax.random.normal(k1, (8, hp.width)) * 0.1,
        "w2": jax.random.normal(k2, (hp.width, hp.classes)) * 0.1,
    }


def loss_fn(params, x, y):
    logits = jnp.tanh(x @ params["w1"]) @ params["w2"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def host_batches(hp, steps):
    rng = np.random.default_rng(100 + jax.process_index())
    for _ in range(steps):
        x = rng.normal(size=(hp.per_host_batch, 8)).astype(np.float32)
        yield x, (np.abs(x[:, 0] * 2).astype(np.int32) % hp.classes)


def export(params, directory, hp):
    """Fully replicated weights to one npz on the shared disk; returns when it is there for everybody."""
    target = pathlib.Path(directory)
    host_params = jax.tree.map(np.asarray, params)
    if jax.process_index() > 0:
        return
    target.mkdir(parents=True, exist_ok=True)
    np.savez(target / "weights.npz", **host_params)
    (target / "hparams.json").write_text(json.dumps(dataclasses.asdict(hp)))
    multihost_utils.sync_global_devices("export written")


def main(_):
    jax.distributed.initialize()
    hp = Hparams()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    over_data, replicated = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tx = optax.adam(hp.lr)
    params = jax.device_put(init(jax.random.PRNGKey(0), hp), replicated)
    opt_state = jax.device_put(tx.init(params), replicated)

    @jax.jit
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    for i, (x, y) in enumerate(host_batches(hp, FLAGS.steps)):
        gx = jax.make_array_from_process_local_data(over_data, x)
        gy = jax.make_array_from_process_local_data(over_data, y)
        params, opt_state, loss = step(params, opt_state, gx, gy)
        if i % 10 == 0 and jax.process_index() == 0:
            print(f"step {i} loss {float(loss):.4f}")
    export(params, FLAGS.export_dir, hp)


if __name__ == "__main__":
    app.run(main)
