import jax
import tensorflow as tf
import tensorflow_datasets as tfds


def normalize(example):
    return {"image": tf.cast(example["image"], tf.float32) / 127.5 - 1.0, "label": example["label"]}


def train_iterator(name, per_host_batch, seed):
    split = tfds.split_for_jax_process("train", drop_remainder=True)
    ds = tfds.load(name, split=split, shuffle_files=True, read_config=tfds.ReadConfig(shuffle_seed=seed))
    ds = ds.cache().repeat().shuffle(10_000, seed=seed)
    ds = ds.map(normalize, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.batch(per_host_batch, drop_remainder=True).prefetch(2)
    return iter(tfds.as_numpy(ds))
