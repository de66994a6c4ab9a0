import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import train_state
from jax.experimental import multihost_utils

from periodic import Periodic


def apply(params, x):
    return jnp.tanh(x @ params["a"]) @ params["b"]


def loss_of(params, x, y):
    return jnp.mean((apply(params, x) - y) ** 2)


def train_step(state, x, y):
    loss, grads = jax.value_and_grad(loss_of)(state.params, x, y)
    grads, loss = jax.lax.pmean((grads, loss), axis_name="hosts")
    return state.apply_gradients(grads=grads), loss


def eval_step(state, x, y):
    return jax.lax.pmean(loss_of(state.params, x, y), axis_name="hosts")


def initial_state(seed=0):
    ka, kb = jax.random.split(jax.random.PRNGKey(seed))
    params = {"a": 0.3 * jax.random.normal(ka, (4, 16)), "b": 0.3 * jax.random.normal(kb, (16, 1))}
    return train_state.TrainState.create(apply_fn=apply, params=params, tx=optax.sgd(0.05))


def draw(rng, n=8):
    x = rng.normal(size=(jax.local_device_count(), n, 4)).astype(np.float32)
    return x, x.sum(-1, keepdims=True)


def main(steps=12):
    jax.distributed.initialize(
        coordinator_address=os.environ["COORDINATOR"],
        num_processes=int(os.environ["NUM_PROCESSES"]),
        process_id=int(os.environ["PROCESS_ID"]),
    )
    lead = jax.process_index() == 0
    state = jax_utils.replicate(initial_state())
    p_train = jax.pmap(train_step, axis_name="hosts", donate_argnums=0)
    p_eval = jax.pmap(eval_step, axis_name="hosts")
    rng = np.random.default_rng([1, jax.process_index()])
    held_out = draw(np.random.default_rng([2, jax.process_index()]))
    evaluation = Periodic(every=4)
    for step in range(steps):
        state, loss = p_train(state, *draw(rng))
        if lead:
            print(f"step {step}: {loss[0]:.4f}")
        evaluation.tick()
        if evaluation.due:
            multihost_utils.sync_global_devices(f"eval_{step}")
            score = p_eval(state, *held_out)
            if lead:
                print(f"  held out: {score[0]:.4f}")
    if lead:
        np.savez("params.npz", **jax.device_get(jax_utils.unreplicate(state.params)))


if __name__ == "__main__":
    main()
