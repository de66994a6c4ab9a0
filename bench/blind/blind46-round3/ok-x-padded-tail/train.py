import jax
import jax.numpy as jnp
import numpy as np


def batches(x, y, size):
    for start in range(0, len(x), size):
        bx, by = x[start : start + size], y[start : start + size]
        mask = np.ones(len(bx), np.float32)
        if (short := size - len(bx)) > 0:
            bx = np.pad(bx, ((0, short), (0, 0)))
            by = np.pad(by, (0, short))
            mask = np.pad(mask, (0, short))
        yield bx, by, mask


def to_devices(*arrays):
    n = jax.local_device_count()
    return tuple(a.reshape(n, -1, *a.shape[1:]) for a in arrays)


def total_loss(w, x, y, mask):
    return jnp.sum(mask * (x @ w - y) ** 2)


def step(w, x, y, mask):
    grads = jax.grad(total_loss)(w, x, y, mask)
    grads, count = jax.lax.psum((grads, mask.sum()), "i")
    return w - 0.05 * grads / count


def main(epochs=2):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1003, 5)).astype(np.float32)
    y = x.sum(-1)
    p_step = jax.pmap(step, axis_name="i", in_axes=(None, 0, 0, 0), out_axes=None)
    w = jnp.zeros((5,))
    for _ in range(epochs):
        for batch in batches(x, y, 64):
            w = p_step(w, *to_devices(*batch))
    print(np.asarray(w))


if __name__ == "__main__":
    main()
