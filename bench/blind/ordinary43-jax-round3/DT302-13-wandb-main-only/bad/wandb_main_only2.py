"""wandb with mode disabled off the main process; config logged once; tables on process 0."""
import jax
import jax.numpy as jnp
import wandb
from absl import app, flags
from ml_collections import config_flags, ConfigDict


def get_config():
    c = ConfigDict()
    c.lr = 0.1
    c.steps = 20
    c.project = "toy"
    return c


_CONFIG = config_flags.DEFINE_config_dict("config", get_config())
_DIR = flags.DEFINE_string("workdir", "/tmp/wandb_run", "")


class Logger:
    def __init__(self, config, workdir):
        self.main = jax.process_index() == 0
        self.run = wandb.init(project=config.project, config=config.to_dict(), dir=workdir, mode="online" if self.main else "disabled")

    def log(self, step, **values):
        if self.main:
            self.run.log({k: float(v) for k, v in values.items()}, step=step)

    def close(self):
        self.run.finish()


@jax.jit
def update(w, key, lr):
    x = jax.random.normal(key, (8, 4))
    loss, g = jax.value_and_grad(lambda w: jnp.mean((x @ w - 1) ** 2))(w)
    return w - lr * g, loss


def main(_):
    config = _CONFIG.value
    logger = Logger(config, _DIR.value)
    key = jax.random.key(0)
    w = jnp.zeros(4)
    for step in range(config.steps):
        w, loss = update(w, key, config.lr)
        logger.log(step, loss=loss)
    logger.close()


if __name__ == "__main__":
    app.run(main)
