import jax.numpy as jnp
import numpy as np

from gd.fit import Fit


def main(most=500):
    fit = Fit({"w": jnp.zeros((4,))}, tolerance=1e-4, watch_every=20)
    rng = np.random.default_rng(0)
    i = 0
    while i < most and fit.turn(i, rng.normal(size=(64, 4)).astype(np.float32)):
        i += 1
    print(i, fit.params["w"])


if __name__ == "__main__":
    main()
