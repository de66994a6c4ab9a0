import jax
import jax.numpy as jnp
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, n=512, dim=8):
        self.x = np.random.default_rng(0).normal(size=(n, dim)).astype(np.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i]


@jax.jit
def step(w, x):
    return w - 0.05 * jax.grad(lambda v: jnp.mean((x @ v - x.sum(-1)) ** 2))(w)


def main(epochs=2):
    w = jnp.zeros((8,))
    loader = DataLoader(
        Rows(),
        batch_size=64,
        shuffle=True,
        num_workers=2,
        persistent_workers=True,
        multiprocessing_context="forkserver",
        collate_fn=np.stack,
        drop_last=True,
    )
    for _ in range(epochs):
        for x in loader:
            w = step(w, x)
    print(np.asarray(w))


if __name__ == "__main__":
    main()
