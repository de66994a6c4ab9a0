import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


@dataclasses.dataclass(frozen=True)
class Config:
    steps: int = 50
    batch: int = 64
    lr: float = 3e-4
    width: int = 32


def make_update(tx):
    def loss_fn(params, x):
        h = jax.nn.relu(x @ params["up"])
        return jnp.mean((h @ params["down"] - x) ** 2)

    def update(params, opt_state, x):
        loss, grads = jax.value_and_grad(loss_fn)(params, x)
        loss, grads = jax.lax.pmean((loss, grads), "devices")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return jax.pmap(update, axis_name="devices", donate_argnums=(0, 1))


def main(cfg=Config()):
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(cfg.lr))
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {
        "up": 0.1 * jax.random.normal(k1, (12, cfg.width)),
        "down": 0.1 * jax.random.normal(k2, (cfg.width, 12)),
    }
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    update = make_update(tx)
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for step in range(cfg.steps):
        x = rng.normal(size=(n, cfg.batch // n, 12)).astype(np.float32)
        params, opt_state, loss = update(params, opt_state, x)
        if step % 10 == 0:
            print(step, float(loss[0]))
    return jax_utils.unreplicate(params)


if __name__ == "__main__":
    main()
