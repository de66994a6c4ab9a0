import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--devices", type=int, default=4)
args = parser.parse_args()
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={args.devices}"
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["JAX_COMPILATION_CACHE_DIR"] = "/tmp/jax-cache"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import torch.utils.data as tud  # noqa: E402


class Squares(tud.Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, i):
        rng = np.random.default_rng(i)
        x = rng.normal(size=8).astype(np.float32)
        return x, np.float32((x**2).sum())


def collate(rows):
    xs, ys = zip(*rows)
    return np.stack(xs), np.stack(ys)


def loader(workers):
    return tud.DataLoader(
        Squares(), batch_size=128, shuffle=True, drop_last=True, collate_fn=collate, num_workers=workers,
        multiprocessing_context="spawn" if workers else None,
        persistent_workers=workers > 0,
        prefetch_factor=4 if workers else None,
    )


def update(w, x, y):
    def loss(w):
        return jnp.mean((jax.nn.relu(x @ w[0]) @ w[1] - y) ** 2)

    return jax.tree.map(lambda a, g: a - 1e-2 * jax.lax.pmean(g, "d"), w, jax.grad(loss)(w))


def main():
    n = jax.local_device_count()
    k0, k1 = jax.random.split(jax.random.key(0))
    w = (jax.random.normal(k0, (8, 32)) / 3, jax.random.normal(k1, (32,)) / 6)
    w = jax.tree.map(lambda a: jnp.stack([a] * n), w)
    step = jax.pmap(update, axis_name="d")
    for _ in range(2):
        for x, y in loader(args.workers):
            w = step(w, x.reshape(n, -1, 8), y.reshape(n, -1))
    print(w[1][0, :3])


if __name__ == "__main__":
    main()
