import jax
import tensorflow as tf
import tensorflow_datasets as tfds

tf.config.set_visible_devices([], "GPU")


def preprocess(row):
    image = tf.cast(row["image"], tf.float32) / 127.5 - 1.0
    return {"image": image, "label": row["label"]}


def train_batches(name, host_batch, seed):
    split = tfds.split_for_jax_process("train", drop_remainder=True)
    ds = tfds.load(name, split=split, shuffle_files=False)
    ds = ds.cache().repeat().shuffle(10_000, seed=seed)
    ds = ds.map(preprocess, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.batch(host_batch, drop_remainder=True).prefetch(2)
    devices = jax.local_device_count()
    for batch in tfds.as_numpy(ds):
        yield {k: v.reshape(devices, -1, *v.shape[1:]) for k, v in batch.items()}
