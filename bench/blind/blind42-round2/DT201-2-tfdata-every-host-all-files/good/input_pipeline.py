import dataclasses

import jax
import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class DataConfig:
    pattern: str = "gs://bucket/c4/train-*.tfrecord"
    length: int = 512
    global_batch: int = 256
    seed: int = 17


def make_train_iterator(cfg):
    """Batches for this host as numpy arrays; `global_batch` is over all hosts."""
    per_host = cfg.global_batch // jax.process_count()
    files = sorted(tf.io.gfile.glob(cfg.pattern))
    ds = tf.data.Dataset.from_tensor_slices(files)
    ds = ds.shuffle(len(files), seed=cfg.seed)
    ds = ds.shard(jax.process_count(), jax.process_index())
    ds = ds.repeat()
    ds = ds.interleave(tf.data.TFRecordDataset, cycle_length=8, deterministic=True)
    spec = {"ids": tf.io.FixedLenFeature([cfg.length], tf.int64)}
    ds = ds.map(lambda r: tf.io.parse_single_example(r, spec)["ids"], num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.shuffle(10_000, seed=cfg.seed)
    return ds.batch(per_host, drop_remainder=True).prefetch(2).as_numpy_iterator()
