import jax
import tensorflow as tf

FEATURES = {"pixels": tf.io.FixedLenFeature([784], tf.float32), "label": tf.io.FixedLenFeature([], tf.int64)}


def parse(record):
    example = tf.io.parse_single_example(record, FEATURES)
    return example["pixels"], tf.cast(example["label"], tf.int32)


def train_batches(pattern, batch_per_host, seed):
    files = tf.data.Dataset.list_files(pattern, shuffle=False)
    records = tf.data.TFRecordDataset(files, num_parallel_reads=8)
    ds = records.shuffle(20_000, seed=seed).repeat()
    ds = ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.batch(batch_per_host, drop_remainder=True).prefetch(2)
    return ds.as_numpy_iterator()
