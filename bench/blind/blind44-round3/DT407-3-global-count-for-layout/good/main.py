import jax
import jax.numpy as jnp
from flax import jax_utils

from host.data import host_batches
from host.layout import leading


def step(w, batch):
    grad = jax.grad(lambda w: jnp.mean((jnp.abs(batch["x"]) @ w - batch["y"]) ** 2))(w)
    return w - 0.01 * jax.lax.pmean(grad, "d")


def main(steps=100, rows_per_host=256):
    jax.distributed.initialize()
    p_step = jax.pmap(step, axis_name="d")
    w = jax_utils.replicate(jnp.zeros((8,)))
    for _, batch in zip(range(steps), host_batches(rows_per_host, 0)):
        w = p_step(w, leading(batch))
    if jax.process_index() == 0:
        print(jax_utils.unreplicate(w))


if __name__ == "__main__":
    main()
