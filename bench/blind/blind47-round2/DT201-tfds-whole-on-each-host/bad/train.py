import jax
import jax.numpy as jnp
import optax
from flax import jax_utils

from pipeline import batches


def main(steps=1000, per_device=32):
    jax.distributed.initialize()
    n = jax.local_device_count()
    tx = optax.sgd(0.1)
    params = {"w": jnp.zeros((784, 10)), "b": jnp.zeros(10)}
    opt = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)

    def step(params, opt, x, y):
        def loss(p):
            logits = x.reshape(len(x), -1) @ p["w"] + p["b"]
            return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

        grads = jax.lax.pmean(jax.grad(loss)(params), "b")
        updates, opt = tx.update(grads, opt)
        return optax.apply_updates(params, updates), opt

    p_step = jax.pmap(step, "b")
    for _, (x, y) in zip(range(steps), batches("digits", per_device * n)):
        params, opt = p_step(params, opt, x.reshape(n, per_device, -1), y.reshape(n, per_device))


if __name__ == "__main__":
    main()
