"""Training loop with an orbax CheckpointManager on every process."""
import dataclasses
from pathlib import Path

import jax
import jax.numpy as jnp
import optax
import orbax.checkpoint as ocp


@dataclasses.dataclass
class Config:
    workdir: str = "/tmp/orbax_manager_run"
    steps: int = 20
    save_every: int = 5
    lr: float = 1e-2
    seed: int = 0


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.tx = optax.adam(cfg.lr)
        options = ocp.CheckpointManagerOptions(max_to_keep=2, save_interval_steps=cfg.save_every)
        self.manager = ocp.CheckpointManager(Path(cfg.workdir).absolute(), options=options)

    def init_state(self):
        key = jax.random.key(self.cfg.seed)
        params = {"w": jax.random.normal(key, (8, 1)), "b": jnp.zeros((1,))}
        return {"params": params, "opt": self.tx.init(params), "step": 0}

    def restore_or_init(self):
        state = self.init_state()
        latest = self.manager.latest_step()
        if latest is None:
            return state
        abstract = jax.tree.map(ocp.utils.to_shape_dtype_struct, state)
        return self.manager.restore(latest, args=ocp.args.StandardRestore(abstract))

    def fit(self):
        state = self.restore_or_init()
        data_key = jax.random.key(self.cfg.seed + 1)
        step_fn = jax.jit(self._step)
        for step in range(int(state["step"]), self.cfg.steps):
            x = jax.random.normal(jax.random.fold_in(data_key, step), (32, 8))
            params, opt, loss = step_fn(state["params"], state["opt"], x)
            state = {"params": params, "opt": opt, "step": step + 1}
            self.manager.save(step, args=ocp.args.StandardSave(state))
            if jax.process_index() == 0 and step % 5 == 0:
                print(step, float(loss))
        self.manager.wait_until_finished()
        self.manager.close()
        return state

    def _step(self, params, opt, x):
        def loss(p):
            return jnp.mean((x @ p["w"] + p["b"] - x.sum(1, keepdims=True)) ** 2)

        value, grads = jax.value_and_grad(loss)(params)
        updates, opt = self.tx.update(grads, opt, params)
        return optax.apply_updates(params, updates), opt, value


if __name__ == "__main__":
    Trainer(Config()).fit()
