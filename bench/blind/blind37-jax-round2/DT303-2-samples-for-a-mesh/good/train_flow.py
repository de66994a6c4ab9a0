import argparse

import jax
import numpy as np
import optax
from flax import jax_utils

import flow


def build_update(tx):
    def update(params, opt_state, x, key):
        loss, grads = jax.value_and_grad(flow.matching_loss)(params, x, key)
        grads = jax.lax.pmean(grads, axis_name="n")
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, axis_name="n")

    return jax.pmap(update, axis_name="n", in_axes=(0, 0, 0, 0), out_axes=(0, 0, None))


class Batches:
    def __init__(self, path, batch, devices):
        self.rows = np.load(path, mmap_mode="r")
        self.batch, self.devices = batch, devices
        self.draw = np.random.default_rng(3)

    def __iter__(self):
        return self

    def __next__(self):
        picked = np.sort(self.draw.choice(len(self.rows), self.batch, replace=False))
        return np.asarray(self.rows[picked], np.float32).reshape(self.devices, self.batch // self.devices, -1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--dim", type=int, default=8)
    args = parser.parse_args()

    devices = jax.local_device_count()
    assert args.batch % devices == 0
    init_key, key = jax.random.split(jax.random.PRNGKey(0))
    params = flow.init(init_key, args.dim)
    tx = optax.adam(1e-3)
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    update = build_update(tx)
    for step, x in zip(range(args.steps), Batches(args.data, args.batch, devices)):
        key, sub = jax.random.split(key)
        keys = jax.random.split(sub, x.shape[0])
        params, opt_state, loss = update(params, opt_state, x, keys)
        if step % 1000 == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
