import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx_base = 0.1


def plan(per_device, examples, epochs):
    local = jax.local_device_count()
    host_batch = per_device * local
    global_batch = host_batch * jax.process_count()
    steps = examples // global_batch
    return host_batch, optax.cosine_decay_schedule(tx_base * global_batch / 256, steps * epochs), steps * epochs


def main():
    jax.distributed.initialize()
    host_batch, rate, steps = plan(16, 50_000, 4)
    tx = optax.sgd(rate)

    def update(p, opt, x):
        loss, g = jax.value_and_grad(lambda w: jnp.mean((x @ w - 1.0) ** 2))(p)
        g = jax.lax.pmean(g, "all")
        up, opt = tx.update(g, opt)
        return optax.apply_updates(p, up), opt, jax.lax.pmean(loss, "all")

    p_update = jax.pmap(update, axis_name="all")
    p = jnp.zeros(7)
    opt = jax_utils.replicate(tx.init(p))
    p = jax_utils.replicate(p)
    rng = np.random.default_rng([3, jax.process_index()])
    for _ in range(steps):
        x = rng.normal(size=(host_batch, 7)).astype(np.float32).reshape(jax.local_device_count(), -1, 7)
        p, opt, loss = p_update(p, opt, x)
    if jax.process_index() == 0:
        print(float(loss[0]))


if __name__ == "__main__":
    main()
