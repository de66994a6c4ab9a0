import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from steps import make_train_step


def apply_fn(params, tokens):
    h = params["emb"][tokens].mean(axis=1)
    return jax.nn.gelu(h @ params["w"]) @ params["head"]


def init(key, vocab, dim, classes):
    a, b, c = jax.random.split(key, 3)
    return {
        "emb": 0.02 * jax.random.normal(a, (vocab, dim)),
        "w": jax.random.normal(b, (dim, dim)) / jnp.sqrt(dim),
        "head": jnp.zeros((dim, classes)),
    }


def batches(rng, per_device, vocab, classes):
    n = jax.local_device_count()
    while True:
        tokens = rng.integers(0, vocab, (n, per_device, 24))
        yield {"tokens": tokens, "labels": tokens[..., 0] % classes}


def main(steps=200, vocab=500, classes=4):
    params = init(jax.random.PRNGKey(0), vocab, 64, classes)
    tx = optax.sgd(optax.cosine_decay_schedule(0.3, steps), momentum=0.9)
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    step_fn = make_train_step(apply_fn, tx)
    source = batches(np.random.default_rng(1), 32, vocab, classes)
    for step in range(steps):
        params, opt_state, metrics = step_fn(params, opt_state, next(source))
        if step % 50 == 0:
            print(step, {k: float(v[0]) for k, v in metrics.items()})


if __name__ == "__main__":
    main()
