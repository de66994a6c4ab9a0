import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from micro import step


def main(micro=4):
    w = jax_utils.replicate(jnp.zeros(6))
    rng = np.random.default_rng(0)
    for _ in range(30):
        xs = rng.normal(size=(jax.local_device_count(), micro, 8, 6)).astype(np.float32)
        w, value = step(w, xs)
    print(value[0])


if __name__ == "__main__":
    main()
