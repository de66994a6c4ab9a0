"""An iterator object with its own key and position that can be saved; echoing each batch with new augmentation keys."""
import itertools

import jax
import jax.numpy as jnp
import numpy as np


class Batches:
    def __init__(self, x, batch, seed, host=None, hosts=None):
        host = jax.process_index() if host is None else host
        hosts = jax.process_count() if hosts is None else hosts
        self.x = x[: len(x) // hosts * hosts][host::hosts]
        self.batch, self.seed = batch, seed
        self.epoch = self.position = 0

    def state_dict(self):
        return {"epoch": self.epoch, "position": self.position}

    def load_state_dict(self, state):
        self.epoch, self.position = state["epoch"], state["position"]

    def __iter__(self):
        return self

    def __next__(self):
        per_epoch = len(self.x) // self.batch
        if self.position == per_epoch:
            self.epoch, self.position = self.epoch + 1, 0
        order = np.random.default_rng((self.seed, self.epoch)).permutation(len(self.x))
        rows = order[self.position * self.batch : (self.position + 1) * self.batch]
        self.position += 1
        return self.x[rows]


def echo(batches, key, times):
    for i, batch in enumerate(batches):
        for j in range(times):
            yield batch, jax.random.fold_in(jax.random.fold_in(key, i), j)


@jax.jit
def step(w, x, key):
    x = x + 0.1 * jax.random.normal(key, x.shape)
    loss, g = jax.value_and_grad(lambda w: jnp.mean((x @ w - x.sum(1)) ** 2))(w)
    return w - 0.05 * g, loss


def main():
    x = np.random.default_rng(0).normal(size=(100, 4)).astype(np.float32)
    batches = Batches(x, 16, seed=1)
    w = jnp.zeros(4)
    host_key = jax.random.fold_in(jax.random.key(2), jax.process_index())
    for batch, key in itertools.islice(echo(batches, host_key, 2), 30):
        w, loss = step(w, batch, key)
    other = Batches(x, 16, seed=1)
    other.load_state_dict(batches.state_dict())
    np.testing.assert_array_equal(next(other), next(batches))
    print(float(loss))


if __name__ == "__main__":
    main()
