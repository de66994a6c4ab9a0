import jax
import numpy as np
from flax import jax_utils

from metr.steps import j_eval, p_train


def main(steps=10):
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    w = jax_utils.replicate(np.zeros(3, np.float32))
    for _ in range(steps):
        w, loss = p_train(w, rng.normal(size=(n, 8, 3)).astype(np.float32))
    held_out = rng.normal(size=(64, 3)).astype(np.float32)
    print(float(loss[0]), float(j_eval(jax_utils.unreplicate(w), held_out)))


if __name__ == "__main__":
    main()
