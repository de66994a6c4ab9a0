import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import checkpoints
from flax.training.train_state import TrainState


def apply_fn(params, x):
    return jax.nn.relu(x @ params["w"]) @ params["v"]


def create(key):
    a, b = jax.random.split(key)
    params = {"w": jax.random.normal(a, (6, 32)), "v": jax.random.normal(b, (32,)) / 6}
    return TrainState.create(apply_fn=apply_fn, params=params, tx=optax.adam(1e-3))


def step(state, x, y):
    def loss_fn(params):
        return jnp.mean((state.apply_fn(params, x) - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads, loss = jax.lax.pmean((grads, loss), "b")
    return state.apply_gradients(grads=grads), loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workdir", default="runs/resume")
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    state = create(jax.random.PRNGKey(0))
    p_step = jax.pmap(step, axis_name="b", donate_argnums=0)
    if args.resume:
        state = checkpoints.restore_checkpoint(args.workdir, state)
    state = jax_utils.replicate(state)
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for i in range(500):
        x = rng.normal(size=(n, 16, 6)).astype(np.float32)
        state, loss = p_step(state, x, x.sum(-1))
        if i % 100 == 99:
            checkpoints.save_checkpoint(args.workdir, jax_utils.unreplicate(state), i, overwrite=True)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
