"""Tiny language model; the step is specialised on its config with functools.partial."""
import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


@dataclasses.dataclass(frozen=True)
class LMConfig:
    vocab: int = 128
    width: int = 64
    window: int = 4


def init(cfg, key):
    a, b = jax.random.split(key)
    return {
        "embed": jax.random.normal(a, (cfg.vocab, cfg.width)) * 0.1,
        "head": jax.random.normal(b, (cfg.window * cfg.width, cfg.vocab)) * 0.1,
    }


def nll(params, cfg, ids):
    h = params["embed"][ids]
    ctx = jnp.concatenate([h[:, i : ids.shape[1] - cfg.window + i] for i in range(cfg.window)], axis=-1)
    logp = jax.nn.log_softmax(ctx @ params["head"])
    return -jnp.mean(jnp.take_along_axis(logp, ids[:, cfg.window :, None], axis=-1))


def train_step(cfg, tx, params, opt_state, ids):
    loss, grads = jax.value_and_grad(nll)(params, cfg, ids)
    grads = jax.lax.pmean(grads, axis_name="batch")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, axis_name="batch")


def main(steps=50, batch=32, length=33):
    cfg = LMConfig()
    tx = optax.adamw(1e-3)
    params = init(cfg, jax.random.PRNGKey(0))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    step = jax.pmap(partial(train_step, cfg, tx), axis_name="batch", donate_argnums=(0, 1))
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for i in range(steps):
        ids = rng.integers(0, cfg.vocab, size=(n, batch // n, length))
        params, opt_state, loss = step(params, opt_state, ids)
        if i % 10 == 0:
            print(i, float(loss[0]))


if __name__ == "__main__":
    main()
