import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from config import TrainConfig
from metrics import Metrics


def make_step(cfg, tx):
    metrics = Metrics(cfg)

    def step(params, opt_state, x, y):
        def loss_fn(p):
            logits = jax.nn.relu(x @ p["w"]) @ p["v"]
            return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean(), logits

        (_, logits), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
        grads = jax.lax.pmean(grads, cfg.axis)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, metrics.classification(logits, y)

    return jax.pmap(step, axis_name=cfg.axis)


def main():
    cfg = TrainConfig()
    tx = optax.adam(cfg.lr)
    kw, kv = jax.random.split(jax.random.key(0))
    params = {"w": jax.random.normal(kw, (20, cfg.width)) / 5, "v": jax.random.normal(kv, (cfg.width, 4)) / 8}
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    step = make_step(cfg, tx)
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for _ in range(cfg.steps):
        x = rng.normal(size=(n, 32, 20)).astype(np.float32)
        params, opt_state, seen = step(params, opt_state, x, x[..., :4].argmax(-1))
    print(jax.device_get(jax_utils.unreplicate(seen)))


if __name__ == "__main__":
    main()
