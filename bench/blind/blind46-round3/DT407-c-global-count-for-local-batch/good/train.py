import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from devices import LAYOUT, put_on_devices


def host_batches(global_batch, steps):
    per_host = global_batch // jax.process_count()
    rng = np.random.default_rng([7, jax.process_index()])
    for _ in range(steps):
        x = rng.normal(size=(per_host, 10)).astype(np.float32)
        yield {"x": x, "y": x.sum(-1)}


def loss_fn(w, batch):
    return jnp.mean((batch["x"] @ w - batch["y"]) ** 2)


def main(global_batch=256, steps=30):
    jax.distributed.initialize()
    tx = optax.sgd(1e-2)

    def step(w, opt, batch):
        g = jax.lax.pmean(jax.grad(loss_fn)(w, batch), "r")
        upd, opt = tx.update(g, opt)
        return optax.apply_updates(w, upd), opt

    p_step = jax.pmap(step, axis_name="r")
    w = jnp.zeros((10,))
    opt = jax_utils.replicate(tx.init(w))
    w = jax_utils.replicate(w)
    for batch in host_batches(global_batch, steps):
        w, opt = p_step(w, opt, put_on_devices(batch))
    if jax.process_index() == 0:
        print(LAYOUT.replicas, "replicas", np.asarray(w[0]))


if __name__ == "__main__":
    main()
