import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils


@dataclasses.dataclass(frozen=True)
class Config:
    peak_lr: float = 0.1
    warmup: int = 10
    steps: int = 60
    width: int = 24

    def lr(self, step):
        return self.peak_lr * min(1.0, (step + 1) / self.warmup)


def init(key, cfg):
    k1, k2 = jax.random.split(key)
    return {"u": 0.3 * jax.random.normal(k1, (5, cfg.width)), "v": 0.3 * jax.random.normal(k2, (cfg.width,))}


def loss_fn(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["u"]) @ params["v"] - y) ** 2)


def sgd_step(params, x, y, lr):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    grads = jax.lax.pmean(grads, "device")
    return jax.tree.map(lambda p, g: p - lr * g, params, grads), jax.lax.pmean(loss, "device")


def main(cfg=Config()):
    params = jax_utils.replicate(init(jax.random.key(0), cfg))
    step_fn = jax.pmap(sgd_step, axis_name="device", in_axes=(0, 0, 0, None))
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for step in range(cfg.steps):
        x = rng.normal(size=(n, 16, 5)).astype(np.float32)
        params, loss = step_fn(params, x, x[..., 0], cfg.lr(step))
    print(float(loss[0]))


if __name__ == "__main__":
    main()
