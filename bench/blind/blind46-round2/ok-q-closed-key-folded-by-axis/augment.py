import functools

import jax
import jax.numpy as jnp
import numpy as np


def cutout(key, image, size=4):
    h, w = image.shape[:2]
    ky, kx = jax.random.split(key)
    y = jax.random.randint(ky, (), 0, h - size)
    x = jax.random.randint(kx, (), 0, w - size)
    patch = jnp.zeros((size, size, image.shape[2]), image.dtype)
    return jax.lax.dynamic_update_slice(image, patch, (y, x, 0))


def make_augment(base_key):
    @functools.partial(jax.pmap, axis_name="dev", in_axes=(0, None))
    def augment(images, step):
        key = jax.random.fold_in(base_key, step)
        key = jax.random.fold_in(key, jax.lax.axis_index("dev"))
        return jax.vmap(cutout)(jax.random.split(key, images.shape[0]), images)

    return augment


def main():
    augment = make_augment(jax.random.key(9))
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for step in range(3):
        images = rng.random((n, 8, 16, 16, 3), dtype=np.float32)
        out = augment(images, step)
    print(out.shape, float(out.mean()))


if __name__ == "__main__":
    main()
