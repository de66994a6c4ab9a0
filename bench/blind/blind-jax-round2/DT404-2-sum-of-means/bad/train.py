import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct
from flax.jax_utils import replicate, unreplicate

from parallel import data_parallel, sync


@struct.dataclass
class State:
    params: dict
    opt_state: optax.OptState
    tx: optax.GradientTransformation = struct.field(pytree_node=False)


@dataclasses.dataclass(frozen=True)
class Options:
    lr: float = 0.05
    momentum: float = 0.9
    steps: int = 20
    per_device: int = 16


def loss_fn(params, batch):
    pred = jnp.tanh(batch["x"] @ params["w1"]) @ params["w2"]
    return jnp.mean(jnp.square(pred - batch["y"]))


@data_parallel
def train_step(state, batch, axis):
    loss, grads = jax.value_and_grad(loss_fn)(state.params, batch)
    grads = sync(grads, axis)
    updates, opt_state = state.tx.update(grads, state.opt_state, state.params)
    params = optax.apply_updates(state.params, updates)
    return state.replace(params=params, opt_state=opt_state), sync(loss, axis, "mean")


def main(options):
    keys = jax.random.split(jax.random.PRNGKey(0))
    params = {"w1": jax.random.normal(keys[0], (6, 16)) * 0.3, "w2": jax.random.normal(keys[1], (16,)) * 0.3}
    tx = optax.sgd(options.lr, momentum=options.momentum)
    state = replicate(State(params=params, opt_state=tx.init(params), tx=tx))
    rng = np.random.default_rng(0)
    for _ in range(options.steps):
        x = rng.normal(size=(jax.local_device_count(), options.per_device, 6)).astype(np.float32)
        state, loss = train_step(state, {"x": x, "y": np.sin(x).sum(-1)})
    print("loss", float(unreplicate(loss)))


if __name__ == "__main__":
    main(Options())
