import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from pipe.records import build


def main(steps=500, global_batch=256):
    jax.distributed.initialize()
    batches = build("gs://bucket/train-*.tfrecord", global_batch // jax.process_count(), seed=1)

    def step(w, batch):
        grad = jax.grad(lambda w: jnp.mean((batch["x"] @ w - batch["y"]) ** 2))(w)
        return w - 0.01 * jax.lax.pmean(grad, "d")

    p_step = jax.pmap(step, axis_name="d", donate_argnums=0)
    w = jax_utils.replicate(jnp.zeros((8,)))
    for _, batch in zip(range(steps), batches):
        w = p_step(w, batch)
    if jax.process_index() == 0:
        np.save("w.npy", np.asarray(jax_utils.unreplicate(w)))


if __name__ == "__main__":
    main()
