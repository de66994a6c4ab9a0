"""Local SGD inside one pmap: replicas run apart and are averaged every few steps."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, struct
from jax import lax


@struct.dataclass
class State:
    step: jax.Array
    params: dict
    opt: optax.OptState


TX = optax.sgd(0.05)
PERIOD = 8


@functools.partial(jax.pmap, axis_name="r", donate_argnums=0)
def train(state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p["w"] + p["b"] - y) ** 2))(state.params)
    updates, opt = TX.update(grads, state.opt)
    params = optax.apply_updates(state.params, updates)
    step = state.step + 1
    params = lax.cond(
        step % PERIOD == 0,
        lambda p: lax.pmean(p, "r"),
        lambda p: p,
        params,
    )
    return State(step=step, params=params, opt=opt), lax.pmean(loss, "r")


def main(steps=400):
    params = {"w": jnp.zeros(6), "b": jnp.zeros(())}
    state = jax_utils.replicate(State(step=jnp.zeros((), jnp.int32), params=params, opt=TX.init(params)))
    draw = np.random.default_rng(5)
    n = jax.local_device_count()
    for i in range(steps):
        x = draw.normal(size=(n, 16, 6)).astype(np.float32)
        state, loss = train(state, x, x.sum(-1))
    final = jax_utils.unreplicate(state)
    print(float(loss[0]), final.params["b"])


if __name__ == "__main__":
    main()
