"""Augmentation with a key per image, vmapped; lax.cond per image under vmap."""
import jax
import jax.numpy as jnp


def random_flip(key, image):
    return jax.lax.cond(jax.random.bernoulli(key), lambda im: im[:, ::-1], lambda im: im, image)


def random_crop(key, image, pad=2):
    h, w, c = image.shape
    padded = jnp.pad(image, ((pad, pad), (pad, pad), (0, 0)), mode="reflect")
    ky, kx = jax.random.split(key)
    y = jax.random.randint(ky, (), 0, 2 * pad + 1)
    x = jax.random.randint(kx, (), 0, 2 * pad + 1)
    return jax.lax.dynamic_slice(padded, (y, x, 0), (h, w, c))


def cutout(key, image, size=4):
    h, w, _ = image.shape
    cy, cx = jax.random.randint(key, (2,), 0, jnp.array([h, w]))
    yy, xx = jnp.mgrid[:h, :w]
    mask = (abs(yy - cy) > size // 2) | (abs(xx - cx) > size // 2)
    return image * mask[..., None]


AUGMENTATIONS = (random_flip, random_crop, cutout)


def augment_one(key, image):
    for fn, k in zip(AUGMENTATIONS, jax.random.split(key, len(AUGMENTATIONS))):
        image = fn(k, image)
    return image


@jax.jit
def augment(key, images):
    return jax.vmap(augment_one)(jax.random.split(key, images.shape[0]), images)


def mixup(key, images, labels, alpha=0.2):
    lam_key, perm_key = jax.random.split(key)
    lam = jax.random.beta(lam_key, alpha, alpha)
    perm = jax.random.permutation(perm_key, images.shape[0])
    return lam * images + (1 - lam) * images[perm], lam * labels + (1 - lam) * labels[perm]


def main():
    root = jax.random.key(1)
    images = jax.random.uniform(jax.random.fold_in(root, 1_000_000), (16, 32, 32, 3))
    labels = jax.nn.one_hot(jnp.arange(16) % 10, 10)
    for step in range(3):
        aug_key, mix_key = jax.random.split(jax.random.fold_in(root, step))
        x, y = mixup(mix_key, augment(aug_key, images), labels)
    print(x.shape, y.shape)


main()
