import jax
import numpy as np
from flax import jax_utils

from lm.config import Experiment
from lm.steps import p_eval, p_train


def init(cfg, key):
    k_emb, k_mix = jax.random.split(key)
    return {
        "emb": 0.1 * jax.random.normal(k_emb, (cfg.vocab, cfg.width)),
        "mix": 0.1 * jax.random.normal(k_mix, (cfg.width, cfg.width)),
    }


def batch(cfg, rng):
    return rng.integers(0, cfg.vocab, size=(jax.local_device_count(), cfg.per_device, 17))


def main(cfg=Experiment()):
    params = jax_utils.replicate(init(cfg, jax.random.PRNGKey(0)))
    rng = np.random.default_rng(0)
    for _ in range(cfg.steps):
        params = p_train(params, batch(cfg, rng))
    held_out = batch(cfg, np.random.default_rng(1))
    nll = p_eval(params, held_out, cfg.sampling.temperature)
    print("nll", float(nll[0]))


if __name__ == "__main__":
    main()
