import jax
import tensorflow as tf
import tensorflow_datasets as tfds


def preprocess(example):
    image = tf.image.convert_image_dtype(example["image"], tf.float32)
    return {"image": tf.image.resize(image, (128, 128)), "label": example["label"]}


def train_iterator(config):
    builder = tfds.builder(config.dataset)
    builder.download_and_prepare()
    ds = builder.as_dataset(split=tfds.split_for_jax_process("train", drop_remainder=True), shuffle_files=True)
    ds = ds.repeat().shuffle(16 * config.batch_size, seed=config.seed)
    ds = ds.map(preprocess, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.batch(config.batch_size // jax.process_count(), drop_remainder=True)
    local = jax.local_device_count()
    ds = ds.map(lambda b: {k: tf.reshape(v, (local, -1) + tuple(v.shape[1:])) for k, v in b.items()})
    return ds.prefetch(2).as_numpy_iterator()
