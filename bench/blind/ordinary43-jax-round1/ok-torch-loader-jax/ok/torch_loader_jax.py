"""A torch DataLoader that feeds JAX on every host: spawn workers, numpy collate."""
import jax
import jax.numpy as jnp
import numpy as np
import torch.utils.data as td


class Numbers(td.Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        x = np.full((4,), i / self.n, np.float32)
        return x, np.float32(i % 2)


def numpy_collate(items):
    xs, ys = zip(*items)
    return np.stack(xs), np.stack(ys)


def make_loader(n, per_host, workers=2):
    dataset = Numbers(n)
    sampler = td.DistributedSampler(
        dataset, num_replicas=jax.process_count(), rank=jax.process_index(), shuffle=True, seed=0, drop_last=True
    )
    return td.DataLoader(
        dataset,
        batch_size=per_host,
        sampler=sampler,
        num_workers=workers,
        collate_fn=numpy_collate,
        drop_last=True,
        multiprocessing_context="spawn" if workers else None,
        persistent_workers=workers > 0,
    )


@jax.jit
def update(w, x, y):
    def loss(w):
        return jnp.mean((jax.nn.sigmoid(x @ w) - y) ** 2)

    l, g = jax.value_and_grad(loss)(w)
    return w - 0.5 * g, l


def main():
    mesh = jax.sharding.Mesh(jax.devices(), ("data",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("data"))
    loader = make_loader(256, 32 // jax.process_count(), workers=0)
    w = jnp.zeros((4,))
    for epoch in range(3):
        loader.sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = (jax.make_array_from_process_local_data(sharding, a) for a in (x, y))
            w, l = update(w, x, y)
        if jax.process_index() == 0:
            print(epoch, float(l))


if __name__ == "__main__":
    main()
