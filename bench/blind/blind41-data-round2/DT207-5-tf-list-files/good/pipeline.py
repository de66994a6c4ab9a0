import jax
import tensorflow as tf


def parse(record):
    spec = {"x": tf.io.FixedLenFeature([32], tf.float32), "y": tf.io.FixedLenFeature([], tf.float32)}
    return tf.io.parse_single_example(record, spec)


def train_batches(pattern, batch, seed):
    files = tf.data.Dataset.list_files(pattern, shuffle=True, seed=seed)
    files = files.shard(jax.process_count(), jax.process_index())
    rows = files.interleave(tf.data.TFRecordDataset, cycle_length=8, num_parallel_calls=tf.data.AUTOTUNE)
    rows = rows.map(parse).shuffle(4096, seed=seed + jax.process_index()).repeat()
    return rows.batch(batch, drop_remainder=True).prefetch(2).as_numpy_iterator()
