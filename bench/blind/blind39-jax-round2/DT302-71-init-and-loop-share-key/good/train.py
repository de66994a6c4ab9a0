"""Sparse autoencoder on cached activations; jit over a data mesh."""
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P


@dataclass
class SAEConfig:
    d_model: int = 64
    expansion: int = 8
    l1: float = 3e-4
    corrupt: float = 0.05
    batch: int = 512
    steps: int = 300
    optimizer: dict = field(default_factory=lambda: {"learning_rate": 1e-3, "b1": 0.0})


def init_params(key, cfg):
    wide = cfg.d_model * cfg.expansion
    enc_key, dec_key = jax.random.split(key)
    decoder = jax.random.normal(dec_key, (wide, cfg.d_model))
    return {
        "enc": 0.1 * jax.random.normal(enc_key, (cfg.d_model, wide)),
        "dec": decoder / jnp.linalg.norm(decoder, axis=-1, keepdims=True),
        "bias": jnp.zeros(wide),
    }


def objective(params, x, key, cfg):
    kept = x * jax.random.bernoulli(key, 1 - cfg.corrupt, x.shape)
    code = jax.nn.relu(kept @ params["enc"] + params["bias"])
    return jnp.mean(jnp.sum((code @ params["dec"] - x) ** 2, -1)) + cfg.l1 * jnp.mean(jnp.sum(code, -1))


def main(cfg):
    mesh = jax.make_mesh((jax.device_count(),), ("batch",))
    tx = optax.adam(**cfg.optimizer)
    key = jax.random.key(55)
    key, init_key = jax.random.split(key)
    params = init_params(init_key, cfg)
    params = jax.device_put(params, NamedSharding(mesh, P()))
    opt_state = tx.init(params)

    @jax.jit
    def update(params, opt_state, x, key):
        loss, grads = jax.value_and_grad(objective)(params, x, key, cfg)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    activations = np.load("activations.npy", mmap_mode="r")
    order = np.random.default_rng(0)
    for step in range(cfg.steps):
        key, drop_key = jax.random.split(key)
        rows = np.sort(order.choice(len(activations), cfg.batch, replace=False))
        x = jax.device_put(np.asarray(activations[rows]), NamedSharding(mesh, P("batch")))
        params, opt_state, loss = update(params, opt_state, x, drop_key)
        if step % 100 == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main(SAEConfig())
