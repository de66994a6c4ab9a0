from dataclasses import dataclass, field
from typing import Iterator

import jax
import jax.numpy as jnp


@dataclass
class Keys:
    seed: int
    current: jax.Array = field(init=False)

    def __post_init__(self):
        self.current = jax.random.key(self.seed)

    def __iter__(self) -> Iterator[jax.Array]:
        return self

    def __next__(self):
        self.current, out = jax.random.split(self.current)
        return out

    def __call__(self, n=None):
        return next(self) if n is None else jnp.stack([next(self) for _ in range(n)])


def langevin(key, x, steps=10, eta=0.05):
    def body(carry, k):
        x = carry - eta * carry + jnp.sqrt(2 * eta) * jax.random.normal(k, carry.shape)
        return x, None

    return jax.lax.scan(body, x, jax.random.split(key, steps))[0]


def main():
    keys = Keys(0)
    start = jax.random.normal(keys(), (64, 3))
    out = langevin(keys(), start)
    several = [jax.random.uniform(k, (2,)) for k, _ in zip(keys, range(4))]
    batch = jax.vmap(lambda k: jax.random.normal(k, (3,)))(keys(8))
    print(out.mean(), len(several), batch.shape)


if __name__ == "__main__":
    main()
