from tools.timeouts import patient

patient(600)

import jax
import numpy as np

from tools.step import make_step


def main(steps=10):
    n = jax.local_device_count()
    step = make_step(0.1)
    w = np.zeros((n, 4), np.float32)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        w = step(w, rng.normal(size=(n, 8, 4)).astype(np.float32))
    print(np.asarray(w[0]))


if __name__ == "__main__":
    main()
