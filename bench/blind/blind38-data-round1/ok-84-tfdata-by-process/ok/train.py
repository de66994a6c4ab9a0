"""Multi-host JAX: every host reads its own records, the global batch is put together from the local parts."""
import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
import tensorflow as tf
from flax import linen as nn
from flax.training import train_state
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

GLOBAL_BATCH = 1024
WIDTH = 256


class Classifier(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(512)(x))
        return nn.Dense(100)(x)


def records(pattern, seed):
    files = tf.data.Dataset.list_files(pattern, shuffle=True, seed=seed)
    files = files.shard(jax.process_count(), jax.process_index())
    rows = files.interleave(tf.data.TFRecordDataset, cycle_length=8, num_parallel_calls=tf.data.AUTOTUNE)
    spec = {"x": tf.io.FixedLenFeature([WIDTH], tf.float32), "y": tf.io.FixedLenFeature([], tf.int64)}
    rows = rows.repeat().shuffle(10_000).map(lambda raw: tf.io.parse_single_example(raw, spec))
    return rows.batch(GLOBAL_BATCH // jax.process_count(), drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def main():
    jax.distributed.initialize()
    tf.config.set_visible_devices([], "GPU")
    mesh = Mesh(np.array(jax.devices()), ("data",))
    split, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())

    model = Classifier()
    variables = model.init(jax.random.PRNGKey(0), jnp.zeros((1, WIDTH)))
    state = train_state.TrainState.create(apply_fn=model.apply, params=variables["params"], tx=optax.adamw(1e-3))
    state = multihost_utils.host_local_array_to_global_array(state, mesh, P())

    @jax.jit
    def step(state, x, y):
        def loss_of(params):
            scores = state.apply_fn({"params": params}, x)
            return optax.softmax_cross_entropy_with_integer_labels(scores, y).mean()

        loss, grads = jax.value_and_grad(loss_of)(state.params)
        return state.apply_gradients(grads=grads), jax.lax.with_sharding_constraint(loss, whole)

    for number, batch in enumerate(records("gs://bucket/train-*", seed=13).as_numpy_iterator()):
        x = jax.make_array_from_process_local_data(split, batch["x"])
        y = jax.make_array_from_process_local_data(split, batch["y"])
        state, loss = step(state, x, y)
        if number % 100 == 0 and jax.process_index() == 0:
            print(number, float(loss), flush=True)
        if number + 1 == 20_000:
            break
    if jax.process_index() == 0:
        with open(os.path.join("/tmp", "classifier.npz"), "wb") as out:
            np.savez(out, **{"/".join(k): np.asarray(v) for k, v in _flat(state.params)})


def _flat(tree, path=()):
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, (*path, name))
        else:
            yield (*path, name), value


if __name__ == "__main__":
    main()
