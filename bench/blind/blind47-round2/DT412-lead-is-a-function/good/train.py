import json

import jax
import jax.numpy as jnp

from host import Host


def main():
    jax.distributed.initialize()
    host = Host.current()
    w = jnp.zeros(3)
    grad = jax.jit(jax.grad(lambda w: jnp.sum((w - 2) ** 2)))
    for _ in range(10):
        w = w - 0.1 * grad(w)
    if host.lead:
        with open("final.json", "w") as f:
            json.dump({"w": w.tolist()}, f)


if __name__ == "__main__":
    main()
