import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np

from sync import allreduce, mean_scalar

AXIS = "replica"


@dataclasses.dataclass(frozen=True)
class Hyper:
    lr: float = 0.05
    momentum: float = 0.9
    width: int = 16


def init(key, hp):
    k1, k2 = jax.random.split(key)
    return {"w": jax.random.normal(k1, (6, hp.width)) * 0.3, "v": jax.random.normal(k2, (hp.width,)) * 0.3}


def loss_fn(params, x, y):
    return jnp.mean(jnp.abs(jnp.tanh(x @ params["w"]) @ params["v"] - y))


def build(hp):
    @functools.partial(jax.pmap, axis_name=AXIS)
    def step(params, velocity, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        size = jax.lax.psum(1, AXIS)
        grads = jax.tree.map(lambda g: g / size, allreduce(grads, AXIS))
        velocity = jax.tree.map(lambda v, g: hp.momentum * v + g, velocity, grads)
        params = jax.tree.map(lambda p, v: p - hp.lr * v, params, velocity)
        return params, velocity, mean_scalar(loss, AXIS)

    return step


def main(steps=30):
    hp = Hyper()
    n = jax.local_device_count()
    host = init(jax.random.PRNGKey(4), hp)
    params = jax.tree.map(lambda p: jnp.broadcast_to(p, (n, *p.shape)), host)
    velocity = jax.tree.map(jnp.zeros_like, params)
    step = build(hp)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(n, 32, 6)).astype(np.float32)
        params, velocity, loss = step(params, velocity, x, x.max(axis=-1))
    print(float(loss[0]))


if __name__ == "__main__":
    main()
