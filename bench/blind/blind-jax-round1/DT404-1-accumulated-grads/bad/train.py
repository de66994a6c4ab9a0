import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from accumulate import accumulated_grads


@dataclasses.dataclass
class Settings:
    per_device: int = 16
    micro: int = 4
    steps: int = 15
    lr: float = 1e-3
    clip: float = 1.0


def loss_fn(params, batch):
    logits = jnp.tanh(batch["x"] @ params["w"] + params["b"]) @ params["head"]
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()
    return loss, {"acc": jnp.mean(logits.argmax(-1) == batch["y"])}


def build_step(settings, tx):
    @functools.partial(jax.pmap, axis_name="dp", donate_argnums=(0, 1))
    def step(params, opt_state, batch):
        grads, metrics = accumulated_grads(loss_fn, params, batch, settings.micro)
        metrics = jax.lax.pmean(metrics, "dp")
        metrics["grad_norm"] = optax.global_norm(grads)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, metrics

    return step


def main(settings):
    k1, k2 = jax.random.split(jax.random.PRNGKey(0))
    params = {
        "w": jax.random.normal(k1, (10, 32)) * 0.3,
        "b": jnp.zeros((32,)),
        "head": jax.random.normal(k2, (32, 2)) * 0.3,
    }
    tx = optax.chain(optax.clip_by_global_norm(settings.clip), optax.adam(settings.lr))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    step = build_step(settings, tx)
    rng = np.random.default_rng(0)
    shape = (jax.local_device_count(), settings.per_device, 10)
    for i in range(settings.steps):
        x = rng.normal(size=shape).astype(np.float32)
        params, opt_state, metrics = step(params, opt_state, {"x": x, "y": (x.sum(-1) > 0).astype(np.int32)})
        if i % 5 == 0:
            print(i, jax.tree_util.tree_map(float, jax_utils.unreplicate(metrics)))


if __name__ == "__main__":
    main(Settings())
