import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from augment import augment


def init(key):
    k1, k2 = jax.random.split(key)
    return {"w": jax.random.normal(k1, (32 * 32 * 3, 64)) * 0.02, "v": jax.random.normal(k2, (64, 10)) * 0.1}


def loss_fn(params, images, labels):
    hidden = jax.nn.relu(images.reshape(images.shape[0], -1) @ params["w"])
    return optax.softmax_cross_entropy_with_integer_labels(hidden @ params["v"], labels).mean()


def host_batches(images, labels, batch, seed):
    share = slice(jax.process_index(), len(images) - len(images) % jax.process_count(), jax.process_count())
    images, labels = images[share], labels[share]
    rng = np.random.default_rng(seed)
    while True:
        take = rng.integers(0, len(images), size=batch)
        yield images[take], labels[take]


def main(path="cifar.npz", batch=512, steps=5000, seed=0):
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tx = optax.sgd(0.1, momentum=0.9)
    init_key, aug_key = jax.random.split(jax.random.key(seed))
    params = jax.jit(init, out_shardings=whole)(init_key)
    opt_state = jax.jit(tx.init, out_shardings=whole)(params)

    @jax.jit
    def step(params, opt_state, images, labels):
        loss, grads = jax.value_and_grad(loss_fn)(params, images, labels)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    with np.load(path) as data:
        batches = host_batches(data["images"], data["labels"], batch // jax.process_count(), seed)
        for i in range(steps):
            images, labels = next(batches)
            images = augment(jax.random.fold_in(aug_key, i), jnp.asarray(images))
            images = jax.make_array_from_process_local_data(rows, np.asarray(images))
            labels = jax.make_array_from_process_local_data(rows, labels)
            params, opt_state, loss = step(params, opt_state, images, labels)
    if jax.process_index() == 0:
        print("last loss", float(loss))


if __name__ == "__main__":
    main()
