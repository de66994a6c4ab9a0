import jax
import jax.numpy as jnp
import ml_collections
import numpy as np
import optax
import wandb
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def config():
    return ml_collections.ConfigDict({"lr": 0.05, "steps": 400, "dim": 24, "project": "toy", "every": 50})


class Log:
    def __init__(self, cfg):
        self.on = bool(cfg.project)
        if self.on:
            wandb.init(project=cfg.project, config=cfg.to_dict())

    def __call__(self, step, **values):
        if self.on:
            wandb.log({name: float(value) for name, value in values.items()}, step=step)

    def close(self):
        if self.on:
            wandb.finish()


def host_rows(rng, dim, rows=64):
    x = rng.normal(size=(rows, dim)).astype(np.float32)
    return x, x[:, 0] - x[:, 1]


def main():
    cfg = config()
    jax.distributed.initialize()
    log = Log(cfg)
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    tx = optax.sgd(cfg.lr)
    w = jax.device_put(jnp.zeros((cfg.dim,)), NamedSharding(mesh, P()))
    opt_state = tx.init(w)

    @jax.jit
    def step(w, opt_state, x, y):
        loss, grad = jax.value_and_grad(lambda v: jnp.mean((x @ v - y) ** 2))(w)
        updates, opt_state = tx.update(grad, opt_state)
        return optax.apply_updates(w, updates), opt_state, loss

    rng = np.random.default_rng([4, jax.process_index()])
    for index in range(cfg.steps):
        x, y = (jax.make_array_from_process_local_data(rows, part) for part in host_rows(rng, cfg.dim))
        w, opt_state, loss = step(w, opt_state, x, y)
        if index % cfg.every == 0:
            log(index, loss=loss)
    log.close()


if __name__ == "__main__":
    main()
