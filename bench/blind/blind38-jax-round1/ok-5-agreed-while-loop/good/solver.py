"""Conjugate gradients with rows of the matrix spread over the devices."""
import argparse
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

ROWS = "rows"


class CG(NamedTuple):
    x: jax.Array
    r: jax.Array
    p: jax.Array
    rr: jax.Array
    turns: jax.Array


def dot(a, b):
    return lax.psum(jnp.vdot(a, b), ROWS)


def matvec(block, local):
    full = lax.all_gather(local, ROWS, tiled=True)
    return block @ full


def solve(block, b, tolerance, limit):
    start = CG(jnp.zeros_like(b), b, b, dot(b, b), jnp.int32(0))
    target = tolerance**2 * start.rr

    def unfinished(s):
        return (s.rr > target) & (s.turns < limit)

    def turn(s):
        ap = matvec(block, s.p)
        alpha = s.rr / dot(s.p, ap)
        x, r = s.x + alpha * s.p, s.r - alpha * ap

        def fresh(x):
            r = b - matvec(block, x)
            return r, dot(r, r)

        def kept(_):
            return r, dot(r, r)

        r, rr = lax.cond(s.turns % 50 == 49, fresh, kept, x)
        return CG(x, r, r + (rr / s.rr) * s.p, rr, s.turns + 1)

    end = lax.while_loop(unfinished, turn, start)
    return end.x, end.turns, jnp.sqrt(end.rr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    args = parser.parse_args()
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    root = rng.normal(size=(args.size, args.size)) / args.size**0.5
    matrix = (root @ root.T + np.eye(args.size)).astype(np.float32)
    b = rng.normal(size=args.size).astype(np.float32)
    run = jax.pmap(solve, axis_name=ROWS, in_axes=(0, 0, None, None))
    x, turns, residual = run(matrix.reshape(n, -1, args.size), b.reshape(n, -1), args.tolerance, 1000)
    error = np.abs(matrix @ np.asarray(x).reshape(-1) - b).max()
    print("turns", int(turns[0]), "residual", float(residual[0]), "largest error", error)


if __name__ == "__main__":
    main()
