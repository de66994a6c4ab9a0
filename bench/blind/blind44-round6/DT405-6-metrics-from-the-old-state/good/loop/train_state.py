import jax
import jax.numpy as jnp
import optax
from flax import struct


@struct.dataclass
class State:
    params: dict
    opt: optax.OptState
    step: int


tx = optax.adam(1e-2)


def new(params):
    return State(params, tx.init(params), 0)


def advance(state, x):
    grads = jax.grad(lambda p: jnp.mean((x @ p["w"] - jnp.cos(x).sum(-1)) ** 2))(state.params)
    updates, opt = tx.update(grads, state.opt, state.params)
    return State(optax.apply_updates(state.params, updates), opt, state.step + 1), optax.global_norm(grads)
