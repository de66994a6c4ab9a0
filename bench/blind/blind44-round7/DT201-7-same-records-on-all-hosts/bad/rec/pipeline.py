import jax
import tensorflow as tf


def parse(record):
    found = tf.io.parse_single_example(record, {"x": tf.io.FixedLenFeature([8], tf.float32)})
    return found["x"]


def pipeline(pattern, per_host, seed):
    local = jax.local_device_count()
    files = sorted(tf.io.gfile.glob(pattern))
    ds = tf.data.TFRecordDataset(files)
    ds = ds.shuffle(4096, seed=seed).repeat().map(parse)
    return ds.batch(per_host // local, drop_remainder=True).batch(local, drop_remainder=True).as_numpy_iterator()
