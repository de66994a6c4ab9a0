import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from normalize import pooled, standardize


def loss_fn(params, images, labels):
    logits = pooled(standardize(images)) @ params["w"] + params["b"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


@functools.partial(jax.jit, donate_argnums=(0,))
def step(params, images, labels):
    loss, grads = jax.value_and_grad(loss_fn)(params, images, labels)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


def local_batches(seed, count, rows):
    rng = np.random.default_rng([seed, jax.process_index()])
    for _ in range(count):
        images = rng.random((rows, 8, 8, 3), dtype=np.float32)
        yield images, (images.mean((1, 2, 3)) > 0.5).astype(np.int32)


def main(count=10, rows=16):
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    by_rows = NamedSharding(mesh, P("data"))
    params = jax.jit(lambda: {"w": jnp.zeros((6, 2)), "b": jnp.zeros((2,))}, out_shardings=NamedSharding(mesh, P()))()
    for images, labels in local_batches(0, count, rows):
        images = jax.make_array_from_process_local_data(by_rows, images)
        labels = jax.make_array_from_process_local_data(by_rows, labels)
        params, loss = step(params, images, labels)
    if jax.process_index() == 0:
        print("loss", float(loss))


if __name__ == "__main__":
    main()
