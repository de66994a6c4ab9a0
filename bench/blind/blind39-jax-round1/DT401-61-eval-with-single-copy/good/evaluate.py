import jax
import jax.numpy as jnp
import numpy as np


def make_evaluator(apply_fn):
    def count_hits(params, images, labels, mask):
        hits = (jnp.argmax(apply_fn(params, images), -1) == labels) * mask
        return jax.lax.psum(jnp.array([hits.sum(), mask.sum()]), "devices")

    return jax.pmap(count_hits, axis_name="devices")


def pad_to_devices(images, labels):
    n = jax.local_device_count()
    missing = -len(labels) % n
    mask = np.ones(len(labels) + missing, np.float32)
    if missing:
        mask[-missing:] = 0.0
        images = np.concatenate([images, np.repeat(images[-1:], missing, 0)])
        labels = np.concatenate([labels, np.repeat(labels[-1:], missing, 0)])
    return [part.reshape(n, -1, *part.shape[1:]) for part in (images, labels, mask)]
