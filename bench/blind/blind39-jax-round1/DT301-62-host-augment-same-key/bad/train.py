import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

from augment import Augmenter

SEED = 29
GLOBAL_BATCH = 512


def host_images(steps):
    rows = np.load("cifar_train.npz")
    mine = slice(jax.process_index(), None, jax.process_count())
    images, labels = rows["images"][mine], rows["labels"][mine]
    per_host = GLOBAL_BATCH // jax.process_count()
    order = np.random.default_rng([SEED, jax.process_index()])
    for step in range(steps):
        pick = order.integers(0, len(images), size=per_host)
        yield step, images[pick].astype(np.float32) / 255.0, labels[pick]


def init(key):
    k1, k2 = jax.random.split(key)
    return {"w1": 0.02 * jax.random.normal(k1, (32 * 32 * 3, 256)), "w2": 0.02 * jax.random.normal(k2, (256, 10))}


def loss_fn(params, images, labels):
    hidden = jax.nn.relu(images.reshape(images.shape[0], -1) @ params["w1"])
    logits = hidden @ params["w2"]
    return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(logits, labels))


def main(steps=5000):
    jax.distributed.initialize()
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    rows, everywhere = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tx = optax.sgd(0.05, momentum=0.9)

    init_key, augment_key = jax.random.split(jax.random.key(SEED))
    params = jax.jit(init, out_shardings=everywhere)(init_key)
    opt_state = jax.jit(tx.init, out_shardings=everywhere)(params)
    augment = Augmenter(augment_key)

    @jax.jit
    def update(params, opt_state, images, labels):
        loss, grads = jax.value_and_grad(loss_fn)(params, images, labels)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    for step, images, labels in host_images(steps):
        images = np.asarray(augment(step, images))
        batch = [jax.make_array_from_process_local_data(rows, part) for part in (images, labels)]
        params, opt_state, loss = update(params, opt_state, *batch)
        if step % 200 == 0:
            value = float(loss)
            if jax.process_index() == 0:
                print(f"step {step} loss {value:.4f}")


if __name__ == "__main__":
    main()
