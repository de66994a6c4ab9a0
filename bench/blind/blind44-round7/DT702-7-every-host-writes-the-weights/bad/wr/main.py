import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from wr.weights import write


def main(steps=10):
    jax.distributed.initialize()
    p_step = jax.pmap(lambda w, x: w - 0.1 * jax.lax.pmean(w - x.mean(0), "d"), axis_name="d")
    w = jax_utils.replicate(jnp.zeros(4))
    rng = np.random.default_rng(jax.process_index())
    for _ in range(steps):
        w = p_step(w, rng.normal(size=(jax.local_device_count(), 16, 4)).astype(np.float32))
    write("/nfs/out", {"w": jax_utils.unreplicate(w)})


if __name__ == "__main__":
    main()
