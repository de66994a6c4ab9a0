import argparse

import jax.numpy as jnp
import numpy as np

import core


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    model = core.make(8)
    for i in range(args.steps):
        batch = jnp.asarray(rng.normal(size=(4, 8)), jnp.float32)
        fresh = core.advance_inplace(model, batch)
        if args.verbose:
            print(i, float(jnp.abs(fresh.momentum).max()))
        model = fresh
    print(int(model.ticks))


if __name__ == "__main__":
    main()
