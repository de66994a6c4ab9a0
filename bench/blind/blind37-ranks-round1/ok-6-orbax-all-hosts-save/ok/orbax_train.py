import json
from dataclasses import asdict, dataclass
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclass(frozen=True)
class Run:
    steps: int = 60
    save_every: int = 20
    lr: float = 3e-3
    rows_per_host: int = 16
    root: str = "/tmp/orbax_run"


class Checkpoints:
    def __init__(self, run):
        options = ocp.CheckpointManagerOptions(max_to_keep=2, save_interval_steps=run.save_every)
        self.manager = ocp.CheckpointManager(Path(run.root).absolute() / "ckpt", options=options)

    def restore_or(self, state):
        latest = self.manager.latest_step()
        if latest is None:
            return 0, state
        return latest + 1, self.manager.restore(latest, args=ocp.args.StandardRestore(state))

    def save(self, step, state):
        self.manager.save(step, args=ocp.args.StandardSave(state))

    def close(self):
        self.manager.wait_until_finished()
        self.manager.close()


def describe(run):
    if jax.process_index() != 0:
        return
    Path(run.root).mkdir(parents=True, exist_ok=True)
    (Path(run.root) / "run.json").write_text(json.dumps(asdict(run)))


def batch(step, rows):
    rng = np.random.default_rng([step, jax.process_index()])
    x = rng.normal(size=(rows, 5)).astype(np.float32)
    return x, x @ np.arange(5, dtype=np.float32)


def main():
    jax.distributed.initialize()
    run = Run()
    describe(run)
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    tx = optax.sgd(run.lr)
    params = jax.device_put({"w": jnp.zeros(5)}, NamedSharding(mesh, P()))
    state = (params, jax.device_put(tx.init(params), NamedSharding(mesh, P())))

    @jax.jit
    def step_fn(state, x, y):
        params, opt = state
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p["w"] - y) ** 2))(params)
        updates, opt = tx.update(grads, opt, params)
        return (optax.apply_updates(params, updates), opt), loss

    checkpoints = Checkpoints(run)
    start, state = checkpoints.restore_or(state)
    for step in range(start, run.steps):
        x, y = (jax.make_array_from_process_local_data(rows, part) for part in batch(step, run.rows_per_host))
        state, loss = step_fn(state, x, y)
        checkpoints.save(step, state)
        if step % 10 == 0 and jax.process_index() == 0:
            print(step, float(loss))
    checkpoints.close()


if __name__ == "__main__":
    main()
