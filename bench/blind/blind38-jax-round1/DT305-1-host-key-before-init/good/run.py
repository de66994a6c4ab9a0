import sys
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import yaml


class Denoiser(eqx.Module):
    layers: list
    time: eqx.nn.Linear

    def __init__(self, dim, width, depth, key):
        k_time, *ks = jax.random.split(key, depth + 1)
        sizes = [dim] + [width] * (depth - 1) + [dim]
        self.layers = [eqx.nn.Linear(a, b, key=k) for a, b, k in zip(sizes[:-1], sizes[1:], ks)]
        self.time = eqx.nn.Linear(1, width, key=k_time)

    def __call__(self, x, t):
        h = self.layers[0](x) + self.time(t[None])
        for layer in self.layers[1:]:
            h = layer(jax.nn.silu(h))
        return h


def load_config(path):
    defaults = {"dim": 32, "width": 256, "depth": 4, "batch": 512, "steps": 10_000, "seed": 5, "lr": 2e-4}
    if path is not None:
        defaults.update(yaml.safe_load(Path(path).read_text()))
    return defaults


def velocity_loss(model, x1, key):
    k_t, k_x = jax.random.split(key)
    t = jax.random.uniform(k_t, x1.shape[:1])
    x0 = jax.random.normal(k_x, x1.shape)
    xt = (1 - t[:, None]) * x0 + t[:, None] * x1
    return jnp.mean((jax.vmap(model)(xt, t) - (x1 - x0)) ** 2)


def make_update(static, tx):
    def update(params, opt_state, x, key):
        def loss_fn(p):
            return velocity_loss(eqx.combine(p, static), x, key)

        loss, grads = jax.value_and_grad(loss_fn)(params)
        grads = jax.lax.pmean(grads, axis_name="replica")
        deltas, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, deltas), opt_state, jax.lax.pmean(loss, axis_name="replica")

    return jax.pmap(update, axis_name="replica", donate_argnums=(0, 1))


def samples(cfg):
    host, hosts = jax.process_index(), jax.process_count()
    data = np.load("latents.npy", mmap_mode="r")
    mine = data[: len(data) // hosts * hosts][host::hosts]
    rng = np.random.default_rng([cfg["seed"], host])
    local = jax.local_device_count()
    while True:
        rows = rng.integers(0, len(mine), cfg["batch"] // hosts)
        yield np.asarray(mine[np.sort(rows)]).reshape(local, -1, cfg["dim"])


def main(argv):
    jax.distributed.initialize()
    cfg = load_config(argv[1] if len(argv) > 1 else None)
    key = jax.random.PRNGKey(cfg["seed"])
    model_key, key = jax.random.split(key)
    model = Denoiser(cfg["dim"], cfg["width"], cfg["depth"], model_key)
    key = jax.random.fold_in(key, jax.process_index())
    params, static = eqx.partition(model, eqx.is_inexact_array)
    tx = optax.adam(cfg["lr"])
    devices = jax.local_devices()
    opt_state = jax.device_put_replicated(tx.init(params), devices)
    params = jax.device_put_replicated(params, devices)
    update = make_update(static, tx)
    for step, x in zip(range(cfg["steps"]), samples(cfg)):
        key, sub = jax.random.split(key)
        params, opt_state, loss = update(params, opt_state, x, jax.random.split(sub, len(devices)))
        if step % 200 == 0 and jax.process_index() == 0:
            print(f"{step:6d} {float(loss[0]):.4f}", flush=True)


if __name__ == "__main__":
    main(sys.argv)
