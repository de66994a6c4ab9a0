import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from sd.seeds import epoch_rng


def main(epochs=10, steps=20, seed=7):
    jax.distributed.initialize()
    n = jax.local_device_count()
    p_step = jax.pmap(lambda w, x: w - 0.1 * jax.lax.pmean(w - x.mean(0), "d"), axis_name="d")
    w = jax_utils.replicate(jnp.zeros(4))
    for epoch in range(epochs):
        rng = epoch_rng(seed, epoch)
        for _ in range(steps):
            w = p_step(w, rng.normal(size=(n, 16, 4)).astype(np.float32))
    if jax.process_index() == 0:
        print(jax_utils.unreplicate(w))


if __name__ == "__main__":
    main()
