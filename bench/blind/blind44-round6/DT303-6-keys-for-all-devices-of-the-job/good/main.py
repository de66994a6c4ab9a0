import jax
import numpy as np
from flax import jax_utils

from gen.sample import Sampler


def main(rounds=3):
    jax.distributed.initialize()
    w = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)
    sampler = Sampler(jax_utils.replicate({"w": w}), seed=1)
    for r in range(rounds):
        np.save(f"samples-{jax.process_index()}-{r}.npy", np.asarray(sampler()))


if __name__ == "__main__":
    main()
