import jax
import jax.numpy as jnp
import optax
from flax import struct


@struct.dataclass
class State:
    params: dict
    opt: optax.OptState
    best: jax.Array


def build(tx):
    def step(state: State, batch):
        value, grads = jax.value_and_grad(lambda p: jnp.mean((batch @ p["w"]) ** 2))(state.params)
        updates, opt = tx.update(grads, state.opt)
        return state.replace(params=optax.apply_updates(state.params, updates), opt=opt, best=jnp.minimum(state.best, value)), value

    return jax.jit(step, donate_argnums=0)


def main():
    tx = optax.sgd(0.1)
    params = {"w": jnp.ones((4, 1))}
    state = State(params=params, opt=tx.init(params), best=jnp.asarray(jnp.inf))
    step = build(tx)
    snapshots = []
    for i in range(10):
        if i % 5 == 0:
            snapshots.append(jax.tree.map(jnp.copy, state.params))
        state, value = step(state, jnp.full((2, 4), float(i)))
    print(len(snapshots), float(state.best), float(value))


if __name__ == "__main__":
    main()
