import dataclasses

import jax
import tensorflow as tf


@dataclasses.dataclass
class InputConfig:
    pattern: str = "gs://bucket/train-*.tfrecord"
    global_batch: int = 256
    image_size: int = 64
    shuffle_buffer: int = 4096


FEATURES = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
}


def _decode(record, size):
    example = tf.io.parse_single_example(record, FEATURES)
    image = tf.io.decode_jpeg(example["image"], channels=3)
    image = tf.image.resize(tf.cast(image, tf.float32) / 255.0, (size, size))
    return {"image": image, "label": example["label"]}


def train_dataset(cfg):
    per_host = cfg.global_batch // jax.process_count()
    files = tf.data.Dataset.list_files(cfg.pattern, shuffle=False)
    files = files.shard(jax.process_count(), jax.process_index())
    ds = files.interleave(tf.data.TFRecordDataset, cycle_length=8, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.shuffle(cfg.shuffle_buffer, seed=0).repeat()
    ds = ds.map(lambda r: _decode(r, cfg.image_size), num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(per_host, drop_remainder=True).prefetch(tf.data.AUTOTUNE)
