import jax
import tensorflow as tf

FEATURES = {"x": tf.io.FixedLenFeature([8], tf.float32), "y": tf.io.FixedLenFeature([], tf.float32)}


def build(pattern, batch_per_host, seed):
    local = jax.local_device_count()
    files = tf.data.Dataset.list_files(pattern, shuffle=True, seed=seed)
    files = files.shard(jax.process_count(), jax.process_index())
    ds = files.interleave(tf.data.TFRecordDataset, cycle_length=4)
    ds = ds.map(lambda r: tf.io.parse_single_example(r, FEATURES), num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.shuffle(10_000, seed=seed + jax.process_index()).repeat()
    ds = ds.batch(batch_per_host // local, drop_remainder=True).batch(local, drop_remainder=True)
    return ds.prefetch(tf.data.AUTOTUNE).as_numpy_iterator()
