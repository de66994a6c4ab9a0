"""Dynamic loss scale: finiteness agreed over the axis before the step is skipped."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, struct


@struct.dataclass
class Scale:
    value: jax.Array
    good: jax.Array

    def adjust(self, finite):
        good = jnp.where(finite, self.good + 1, 0)
        grow = good >= 20
        value = jnp.where(finite, jnp.where(grow, self.value * 2, self.value), jnp.maximum(self.value / 2, 1.0))
        return Scale(value, jnp.where(grow, 0, good))


@struct.dataclass
class State:
    params: dict
    opt: optax.OptState
    scale: Scale
    tx: optax.GradientTransformation = struct.field(pytree_node=False)


def all_finite(tree):
    return jnp.all(jnp.stack([jnp.isfinite(x).all() for x in jax.tree_util.tree_leaves(tree)]))


@functools.partial(jax.pmap, axis_name="batch", donate_argnums=0)
def step(state, x, y):
    def loss_fn(p):
        return jnp.mean((x @ p["w"] - y) ** 2) * state.scale.value

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    grads = jax.tree_util.tree_map(lambda g: g / state.scale.value, grads)
    finite = jax.lax.pmin(all_finite(grads).astype(jnp.int32), "batch") > 0

    def apply(state):
        updates, opt = state.tx.update(grads, state.opt, state.params)
        return state.replace(params=optax.apply_updates(state.params, updates), opt=opt)

    state = jax.lax.cond(finite, apply, lambda s: s, state)
    state = state.replace(scale=state.scale.adjust(finite))
    return state, jax.lax.pmean(loss / state.scale.value, "batch")


def main():
    n = jax.local_device_count()
    tx = optax.sgd(0.1)
    params = {"w": jnp.zeros((4,))}
    state = State(params, tx.init(params), Scale(jnp.float32(2**10), jnp.int32(0)), tx)
    state = jax_utils.replicate(state)
    rng = np.random.default_rng(0)
    for _ in range(30):
        x = rng.normal(size=(n, 8, 4)).astype(np.float32)
        state, loss = step(state, x, x.sum(-1))
    print(float(loss[0]), jax_utils.unreplicate(state).scale.value)


if __name__ == "__main__":
    main()
