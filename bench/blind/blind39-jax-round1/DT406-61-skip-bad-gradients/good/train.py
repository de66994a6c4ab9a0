"""Mixed-precision regression under pmap; steps with non-finite gradients are skipped."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, struct


@struct.dataclass
class Train:
    params: dict
    opt_state: optax.OptState
    scale: jax.Array
    skipped: jax.Array


def forward(params, x):
    h = jax.nn.gelu(x.astype(jnp.float16) @ params["up"].astype(jnp.float16))
    return (h @ params["down"].astype(jnp.float16)).astype(jnp.float32)


def all_finite(tree):
    return jnp.stack([jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(tree)]).all()


def build_step(tx):
    def apply(train, grads):
        updates, opt_state = tx.update(grads, train.opt_state, train.params)
        params = optax.apply_updates(train.params, updates)
        return train.replace(params=params, opt_state=opt_state)

    def skip(train, grads):
        return train.replace(scale=train.scale / 2, skipped=train.skipped + 1)

    @functools.partial(jax.pmap, axis_name="dp", donate_argnums=0)
    def step(train, x, y):
        def scaled_loss(params):
            return jnp.mean((forward(params, x) - y) ** 2) * train.scale

        grads = jax.tree.map(lambda g: g / train.scale, jax.grad(scaled_loss)(train.params))
        grads = jax.lax.pmean(grads, "dp")
        return jax.lax.cond(all_finite(grads), apply, skip, train, grads)

    return step


def init(key, width=64):
    up, down = jax.random.split(key)
    return {"up": jax.random.normal(up, (16, width)) * 0.2, "down": jax.random.normal(down, (width, 1)) * 0.2}


def main(steps=400, per_device=128):
    n = jax.local_device_count()
    params = init(jax.random.key(3))
    tx = optax.adam(1e-3)
    train = Train(params, tx.init(params), jnp.float32(2.0**12), jnp.int32(0))
    train = jax_utils.replicate(train)
    step_fn = build_step(tx)
    rng = np.random.default_rng(10)
    for step in range(steps):
        x = rng.normal(size=(n, per_device, 16)).astype(np.float32)
        train = step_fn(train, x, x.sum(-1, keepdims=True))
    print("skipped", int(train.skipped[0]))


if __name__ == "__main__":
    main()
