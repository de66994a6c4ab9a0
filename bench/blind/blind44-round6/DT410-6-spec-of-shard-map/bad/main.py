import numpy as np

from mm.grid import grid
from mm.ops import sharded_matmul


def main(n=16):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, n, n)).astype(np.float32)
    out = sharded_matmul(grid(2))(a, b)
    print(np.abs(np.asarray(out) - a @ b).max())


if __name__ == "__main__":
    main()
