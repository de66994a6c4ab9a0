from collections import deque
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@partial(jax.jit, donate_argnames=("state",))
def step(state, x):
    return jax.tree.map(lambda s: s - 0.1 * (s - x.mean()), state)


def main():
    state = {"a": jnp.ones(3), "b": jnp.zeros(())}
    kept = deque(maxlen=2)
    for i in range(6):
        kept.append(jax.device_get(state))
        state = step(state, jnp.full(4, float(i)))
    print(np.abs(kept[0]["a"] - kept[-1]["a"]).max(), float(state["b"]))


if __name__ == "__main__":
    main()
