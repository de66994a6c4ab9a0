import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def augment(key, images):
    k_flip, k_bright = jax.random.split(key)
    flip = jax.random.bernoulli(k_flip, 0.5, (images.shape[0], 1, 1))
    images = jnp.where(flip, images[:, :, ::-1], images)
    return images * jax.random.uniform(k_bright, (images.shape[0], 1, 1), minval=0.8, maxval=1.2)


def logits_of(params, images):
    x = images.reshape(images.shape[0], -1)
    return jax.nn.relu(x @ params["w"]) @ params["v"]


def build(mesh, tx):
    @functools.partial(
        jax.shard_map, mesh=mesh, in_specs=(P(), P("b"), P("b"), P()), out_specs=(P(), P()), check_vma=False
    )
    def loss_and_grads(params, images, labels, key):
        images = augment(key, images)

        def loss_fn(p):
            return optax.softmax_cross_entropy_with_integer_labels(logits_of(p, images), labels).mean()

        return lax.pmean(jax.value_and_grad(loss_fn)(params), "b")

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(params, opt_state, images, labels, key):
        loss, grads = loss_and_grads(params, images, labels, key)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return step


def main(steps=100, batch=128):
    mesh = Mesh(np.asarray(jax.devices()), ("b",))
    tx = optax.adamw(1e-3)
    k1, k2, key = jax.random.split(jax.random.key(6), 3)
    params = {"w": jax.random.normal(k1, (144, 64)) / 12, "v": jax.random.normal(k2, (64, 10)) / 8}
    opt_state = tx.init(params)
    step = build(mesh, tx)
    rows = NamedSharding(mesh, P("b"))
    rng = np.random.default_rng(1)
    for i in range(steps):
        images = rng.random((batch, 12, 12), dtype=np.float32)
        labels = (images.mean((1, 2)) * 10).astype(np.int32)
        images, labels = jax.device_put((images, labels), rows)
        params, opt_state, loss = step(params, opt_state, images, labels, jax.random.fold_in(key, i))
    print(float(loss))


if __name__ == "__main__":
    main()
