from functools import partial

import jax
import numpy as np

from solver import richardson


def main():
    n = jax.local_device_count()
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(n, 32, 4)).astype(np.float32)
    rhs = rows @ np.arange(4, dtype=np.float32)
    solve = jax.pmap(partial(richardson, axis="eq"), axis_name="eq")
    print(solve(rows, rhs)[0])


if __name__ == "__main__":
    main()
