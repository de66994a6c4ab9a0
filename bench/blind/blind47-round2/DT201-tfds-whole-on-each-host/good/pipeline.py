import abc

import jax
import tensorflow as tf
import tensorflow_datasets as tfds


class Source(abc.ABC):
    name: str
    registry: dict[str, type["Source"]] = {}

    def __init_subclass__(cls):
        Source.registry[cls.name] = cls

    @abc.abstractmethod
    def dataset(self, split: str) -> tf.data.Dataset: ...


class Digits(Source):
    name = "digits"

    def dataset(self, split):
        builder = tfds.builder("mnist")
        split = tfds.split_for_jax_process(split, drop_remainder=True)
        return builder.as_dataset(split=split, shuffle_files=True)


def batches(name: str, per_host: int):
    ds = Source.registry[name]().dataset("train")
    ds = ds.map(lambda row: (tf.cast(row["image"], tf.float32) / 255.0, row["label"]), tf.data.AUTOTUNE)
    ds = ds.shuffle(10_000, seed=3).repeat().batch(per_host, drop_remainder=True).prefetch(2)
    return ds.as_numpy_iterator()
