import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils


def step(w, x, y):
    grad = jax.grad(lambda v: jnp.mean((x @ v - y) ** 2))(w)
    return w - 0.05 * jax.lax.pmean(grad, "i")


def eval_sums(w, x, y, mask):
    err = (x @ w - y) ** 2 * mask
    return jax.lax.psum((err.sum(), mask.sum()), "i")


def pad(a, n):
    extra = -len(a) % n
    return np.concatenate([a, np.zeros((extra,) + a.shape[1:], a.dtype)]).reshape((n, -1) + a.shape[1:])


def batches(x, size, keep_last):
    stop = len(x) if keep_last else len(x) - len(x) % size
    for lo in range(0, stop, size):
        yield x[lo : lo + size]


def main():
    n = jax.local_device_count()
    data = np.random.default_rng(0).normal(size=(1003, 7)).astype(np.float32)
    train, test = data[:800], data[800:]
    w = jax_utils.replicate(jnp.zeros((7,)))
    p_step, p_eval = jax.pmap(step, axis_name="i"), jax.pmap(eval_sums, axis_name="i")
    for x in batches(train, 64, keep_last=False):
        x = x.reshape(n, -1, 7)
        w = p_step(w, x, x.sum(-1))
    total, count = 0.0, 0.0
    for x in batches(test, 64, keep_last=True):
        err, seen = p_eval(w, pad(x, n), pad(x.sum(-1), n), pad(np.ones(len(x), np.float32), n))
        total, count = total + float(err[0]), count + float(seen[0])
    print("test error", total / count)


if __name__ == "__main__":
    main()
