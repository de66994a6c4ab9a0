import sys

import jax
import jax.numpy as jnp
import numpy as np
from etils import epath
from flax import jax_utils

import sink


def step(w, x):
    loss, grad = jax.value_and_grad(lambda w: jnp.mean((x @ w - 1) ** 2))(w)
    return w - 0.1 * jax.lax.pmean(grad, "n"), jax.lax.pmean(loss, "n")


def main(folder):
    jax.distributed.initialize()
    write = sink.jsonl(epath.Path("gs://runs") / folder / "metrics.jsonl")
    run = jax.pmap(step, axis_name="n")
    w = jax_utils.replicate(jnp.zeros(4))
    rng = np.random.default_rng(jax.process_index())
    for i in range(200):
        w, loss = run(w, rng.normal(size=(jax.local_device_count(), 8, 4)).astype("f4"))
        if i % 10 == 0:
            write(i, {"loss": float(loss[0])})


if __name__ == "__main__":
    main(sys.argv[1])
