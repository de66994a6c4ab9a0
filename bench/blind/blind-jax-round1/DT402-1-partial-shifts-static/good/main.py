import argparse
from functools import partial

import jax
import numpy as np
import optax
from flax import jax_utils

import steps


def init(key, widths=(12, 32, 8)):
    keys = jax.random.split(key, len(widths))
    hidden = [jax.random.normal(k, (i, o)) / i**0.5 for k, i, o in zip(keys, widths[:-1], widths[1:])]
    return {"hidden": hidden, "out": jax.random.normal(keys[-1], (widths[-1], widths[-1])) / 3}


def pairs(n_devices, rows, rng):
    while True:
        x = rng.normal(size=(n_devices, rows, 12)).astype(np.float32)
        yield x, x + 0.1 * rng.normal(size=x.shape).astype(np.float32)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--mode", choices=["symmetric", "one-sided"], default="symmetric")
    ap.add_argument("--temperature", type=float, default=0.2)
    ap.add_argument("--steps", type=int, default=10)
    args = ap.parse_args()
    tx = optax.adam(1e-3)
    params = init(jax.random.PRNGKey(1))
    state = jax_utils.replicate((params, tx.init(params)))
    p_step = jax.pmap(
        partial(steps.train_step, tx, args.temperature),
        axis_name="batch",
        static_broadcasted_argnums=(2,),
    )
    stream = pairs(jax.local_device_count(), 16, np.random.default_rng(0))
    for _ in range(args.steps):
        state, loss = p_step(state, next(stream), args.mode)
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
