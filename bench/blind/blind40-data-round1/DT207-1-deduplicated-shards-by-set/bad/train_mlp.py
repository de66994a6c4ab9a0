"""Data parallel regression over .npz shards, several hosts, pmap."""
import argparse
import functools
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--roots", nargs="+", default=["/data/a", "/data/b"])
    parser.add_argument("--batch-per-device", type=int, default=32)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--shards-per-host", type=int, default=16)
    return parser.parse_args()


def my_shards(roots, count):
    found = set()
    for root in roots:
        found.update(str(path.resolve()) for path in pathlib.Path(root).rglob("*.npz"))
    names = list(found)
    index = jax.process_index()
    return names[index * count : (index + 1) * count]


def read(names, rows, passes):
    """Endless over the host's shards; only whole batches."""
    devices = jax.local_device_count()
    for _ in range(passes):
        for name in names:
            with np.load(name) as shard:
                x, y = shard["x"], shard["y"]
            for start in range(0, len(x) - devices * rows + 1, devices * rows):
                part = slice(start, start + devices * rows)
                yield x[part].reshape(devices, rows, -1), y[part].reshape(devices, rows)


def predict(params, x):
    for w, b in params[:-1]:
        x = jax.nn.silu(x @ w + b)
    w, b = params[-1]
    return (x @ w + b)[..., 0]


@functools.partial(jax.pmap, axis_name="hosts_and_chips", donate_argnums=(0, 1))
def update(params, opt_state, x, y):
    def objective(p):
        return jnp.square(predict(p, x) - y).mean()

    value, grads = jax.value_and_grad(objective)(params)
    value, grads = jax.lax.pmean((value, grads), "hosts_and_chips")
    updates, opt_state = optimizer().update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, value


@functools.cache
def optimizer():
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))


def init(key, sizes=(64, 128, 128, 1)):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        (jax.random.normal(k, (a, b)) / jnp.sqrt(a), jnp.zeros(b)) for k, a, b in zip(keys, sizes[:-1], sizes[1:])
    ]


def main():
    args = parse()
    jax.distributed.initialize()
    names = my_shards(args.roots, args.shards_per_host)
    params = init(jax.random.key(1))
    opt_state = jax_utils.replicate(optimizer().init(params))
    params = jax_utils.replicate(params)
    steps = args.passes * 500
    for step, (x, y) in zip(range(steps), read(names, args.batch_per_device, passes=10**6)):
        params, opt_state, value = update(params, opt_state, x, y)
        if step % 50 == 0 and jax.process_index() == 0:
            print(f"step {step} loss {float(value[0]):.4f}")


if __name__ == "__main__":
    main()
