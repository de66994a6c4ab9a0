import jax
import numpy as np
import tensorflow as tf


def local_batches(pattern, global_batch, seed):
    files = sorted(tf.io.gfile.glob(pattern))
    ds = tf.data.Dataset.from_tensor_slices(files)
    ds = ds.shuffle(len(files), seed=seed)
    ds = ds.shard(jax.process_count(), jax.process_index())
    ds = ds.interleave(tf.data.TFRecordDataset, cycle_length=4, deterministic=True)
    ds = ds.map(lambda r: tf.io.parse_single_example(r, {
        "image": tf.io.FixedLenFeature([784], tf.float32),
        "label": tf.io.FixedLenFeature([], tf.int64),
    }))
    ds = ds.repeat().batch(global_batch // jax.process_count(), drop_remainder=True)
    return ds.prefetch(2).as_numpy_iterator()


def to_devices(batch):
    count = jax.device_count()
    return jax.tree.map(lambda x: np.reshape(x, (count, -1) + x.shape[1:]), batch)
