"""tf.data: files listed sorted, sharded by process before the shuffle; batches for the local devices; prefetch to devices."""
import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import optax
import tensorflow as tf
from flax import jax_utils


def parse(record):
    feats = tf.io.parse_single_example(record, {"x": tf.io.FixedLenFeature([8], tf.float32), "y": tf.io.FixedLenFeature([], tf.int64)})
    return feats["x"], feats["y"]


def input_fn(pattern, global_batch, *, train, seed=0):
    local_batch = global_batch // jax.process_count()
    per_device = local_batch // jax.local_device_count()
    files = tf.data.Dataset.list_files(pattern)
    files = files.shard(jax.process_count(), jax.process_index())
    if train:
        files = files.shuffle(128, seed=seed)
    ds = files.interleave(tf.data.TFRecordDataset, cycle_length=8, num_parallel_calls=tf.data.AUTOTUNE)
    if train:
        ds = ds.repeat().shuffle(4096, seed=seed + jax.process_index())
    ds = ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.batch(local_batch, drop_remainder=True)
    ds = ds.map(lambda x, y: {"x": tf.reshape(x, (jax.local_device_count(), per_device, 8)), "y": tf.reshape(y, (jax.local_device_count(), per_device))})
    return ds.prefetch(tf.data.AUTOTUNE)


def main(pattern="gs://bucket/train-*", steps=1000):
    jax.distributed.initialize()
    tx = optax.sgd(optax.cosine_decay_schedule(0.1, steps), momentum=0.9)
    key = jax.random.PRNGKey(0)
    params = {"w": jax.random.normal(key, (8, 4)) * 0.1}
    params, opt = jax_utils.replicate((params, tx.init(params)))

    @functools.partial(jax.pmap, axis_name="batch", donate_argnums=(0, 1))
    def step(params, opt, batch):
        def loss_fn(p):
            return optax.softmax_cross_entropy_with_integer_labels(batch["x"] @ p["w"], batch["y"]).mean()

        loss, grads = jax.lax.pmean(jax.value_and_grad(loss_fn)(params), "batch")
        updates, opt = tx.update(grads, opt, params)
        return optax.apply_updates(params, updates), opt, loss

    it = input_fn(pattern, 1024, train=True).as_numpy_iterator()
    it = jax_utils.prefetch_to_device(it, 2)
    for i, batch in enumerate(itertools.islice(it, steps)):
        params, opt, loss = step(params, opt, batch)
        if i % 100 == 0:
            host_loss = np.asarray(jax_utils.unreplicate(loss))
            if jax.process_index() == 0:
                print(i, host_loss)


if __name__ == "__main__":
    main()
