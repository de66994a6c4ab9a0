import jax
import jax.numpy as jnp
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, n=512):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = np.random.default_rng(i)
        return rng.random((8, 8), dtype=np.float32)


def stack(rows):
    return np.stack(rows)


@jax.jit
def update(weight, x):
    flat = x.reshape(len(x), -1)
    grad = jax.grad(lambda w: jnp.mean((flat @ w - flat) ** 2))(weight)
    return weight - 0.1 * grad


def main():
    weight = jax.random.normal(jax.random.key(0), (64, 64)) * 0.01
    print("devices", jax.device_count())
    loader = DataLoader(Pictures(), batch_size=32, num_workers=4, collate_fn=stack, drop_last=True)
    for x in loader:
        weight = update(weight, x)
    print(float(jnp.abs(weight).sum()))


if __name__ == "__main__":
    main()
