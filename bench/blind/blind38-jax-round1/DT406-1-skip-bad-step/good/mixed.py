"""pmap training in float16 with a dynamic loss scale."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct
from jax import lax

AXIS = "replica"


@struct.dataclass
class Scale:
    value: jax.Array
    good_steps: jax.Array

    def after(self, ok):
        grown = jnp.where(self.good_steps >= 99, self.value * 2, self.value)
        count = jnp.where(self.good_steps >= 99, 0, self.good_steps + 1)
        return Scale(jnp.where(ok, grown, self.value / 2), jnp.where(ok, count, 0))


def init_params(key, width=64):
    k1, k2 = jax.random.split(key)
    return {"a": jax.random.normal(k1, (16, width)) * 0.25, "b": jax.random.normal(k2, (width, 1)) * 0.1}


def forward(params, x):
    half = jax.tree.map(lambda p: p.astype(jnp.float16), params)
    return (jax.nn.relu(x.astype(jnp.float16) @ half["a"]) @ half["b"])[..., 0]


def all_finite(tree):
    return jnp.all(jnp.stack([jnp.all(jnp.isfinite(leaf)) for leaf in jax.tree.leaves(tree)]))


def make_step(tx):
    def scaled_loss(params, x, y, scale):
        error = forward(params, x).astype(jnp.float32) - y
        return jnp.mean(error**2) * scale

    def apply(operand):
        params, opt_state, grads = operand
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state

    def skip(operand):
        params, opt_state, _ = operand
        return params, opt_state

    def step(params, opt_state, scale, x, y):
        loss, grads = jax.value_and_grad(scaled_loss)(params, x, y, scale.value)
        grads = jax.tree.map(lambda g: g / scale.value, grads)
        grads = lax.pmean(grads, AXIS)
        ok = all_finite(grads)
        params, opt_state = lax.cond(ok, apply, skip, (params, opt_state, grads))
        scale = scale.after(ok)
        return params, opt_state, scale, lax.pmean(loss / scale.value, AXIS)

    return jax.pmap(step, axis_name=AXIS)


def main(steps=200, batch=256):
    n = jax.local_device_count()
    tx = optax.adam(1e-3)
    params = init_params(jax.random.PRNGKey(0))
    start = (params, tx.init(params), Scale(jnp.float32(2.0**12), jnp.int32(0)))
    params, opt_state, scale = jax.tree.map(lambda leaf: jnp.stack([leaf] * n), start)
    step = make_step(tx)
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = rng.normal(size=(n, batch // n, 16)).astype(np.float32)
        params, opt_state, scale, loss = step(params, opt_state, scale, x, np.abs(x).sum(-1))
        if i % 50 == 0:
            print(i, float(loss[0]), float(scale.value[0]))


if __name__ == "__main__":
    main()
