import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from pub.publish import Publisher


def step(w, x):
    loss, grad = jax.value_and_grad(lambda w: jnp.mean((x @ w - x[:, 0]) ** 2))(w)
    return w - 0.1 * jax.lax.pmean(grad, "d"), jax.lax.pmean(loss, "d")


def main(steps=100):
    jax.distributed.initialize()
    publisher = Publisher("/gcs/metrics")
    p_step = jax.pmap(step, axis_name="d")
    w = jax_utils.replicate(jnp.zeros(4))
    rng = np.random.default_rng(jax.process_index())
    for i in range(steps):
        w, loss = p_step(w, rng.normal(size=(jax.local_device_count(), 16, 4)).astype(np.float32))
        if i % 20 == 0:
            publisher.publish(f"{i}.json", {"loss": float(loss[0])})
