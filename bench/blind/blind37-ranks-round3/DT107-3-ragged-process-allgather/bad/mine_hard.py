import argparse

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils


def init(key, width=8):
    k1, k2 = jax.random.split(key)
    return {"w": jax.random.normal(k1, (width, width)) * 0.3, "v": jax.random.normal(k2, (width,)) * 0.3}


@jax.jit
def score(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


def local_rows(n, width=8):
    rng = np.random.default_rng(77 + jax.process_index())
    return rng.standard_normal((n, width)).astype(np.float32)


def hardest(scores, threshold, room):
    kept = scores[scores > threshold]
    return multihost_utils.process_allgather(kept).reshape(-1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rows", type=int, default=4096)
    ap.add_argument("--batch", type=int, default=256)
    ap.add_argument("--threshold", type=float, default=0.5)
    ap.add_argument("--room", type=int, default=2048)
    args = ap.parse_args()
    jax.distributed.initialize()
    params = init(jax.random.PRNGKey(0))
    rows = local_rows(args.rows)
    parts = [np.asarray(score(params, rows[i : i + args.batch])) for i in range(0, args.rows, args.batch)]
    found = hardest(np.concatenate(parts), args.threshold, args.room)
    if jax.process_index() == 0:
        np.save("hardest.npy", np.sort(found)[::-1])
    jax.distributed.shutdown()


if __name__ == "__main__":
    main()
