import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils
from jax import lax


def objective(w, x, y):
    return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w))) + 1e-3 * jnp.sum(w**2)


def backtrack(w, direction, slope, x, y, axis, shrink=0.5, limit=20):
    """Halves the step until the mean objective has decreased enough on all devices together."""

    def value(step):
        return lax.pmean(objective(w + step * direction, x, y), axis)

    start = lax.pmean(objective(w, x, y), axis)

    def too_long(carry):
        step, current, turns = carry
        return (current > start + 1e-4 * step * slope) & (turns < limit)

    def halve(carry):
        step, _, turns = carry
        step = shrink * step
        return step, value(step), turns + 1

    step, current, _ = lax.while_loop(too_long, halve, (jnp.array(1.0), value(1.0), 0))
    return step, current


@functools.partial(jax.pmap, axis_name="shard", in_axes=(0, 0, 0))
def descend(w, x, y):
    grad = lax.pmean(jax.grad(objective)(w, x, y), "shard")
    direction = -grad
    step, loss = backtrack(w, direction, jnp.vdot(grad, direction), x, y, "shard")
    return w + step * direction, loss


def load(path, devices):
    with np.load(path) as archive:
        x, y = archive["x"].astype(np.float32), archive["y"].astype(np.float32)
    whole = len(y) // devices * devices
    return x[:whole].reshape(devices, -1, x.shape[-1]), y[:whole].reshape(devices, -1)


def main(path="higgs.npz", iterations=100):
    x, y = load(path, jax.local_device_count())
    w = jax_utils.replicate(jnp.zeros(x.shape[-1]))
    for i in range(iterations):
        w, loss = descend(w, x, y)
        if i % 10 == 0:
            print(i, float(loss[0]))
    np.save("w.npy", jax_utils.unreplicate(w))


if __name__ == "__main__":
    main()
