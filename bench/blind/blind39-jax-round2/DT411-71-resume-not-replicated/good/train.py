"""pmap training with flax's legacy checkpoints; --resume continues from the last one."""
import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import checkpoints, train_state


def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workdir", default="/tmp/run")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--steps", type=int, default=1000)
    return parser.parse_args()


def apply(params, x):
    return jnp.tanh(x @ params["enc"]) @ params["dec"]


def fresh_state():
    enc, dec = jax.random.split(jax.random.PRNGKey(0))
    params = {"enc": jax.random.normal(enc, (16, 4)) / 4, "dec": jax.random.normal(dec, (4, 16)) / 2}
    return train_state.TrainState.create(apply_fn=apply, params=params, tx=optax.adam(1e-3))


def train_step(state, x):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((state.apply_fn(p, x) - x) ** 2))(state.params)
    grads = jax.lax.pmean(grads, axis_name="batch")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, axis_name="batch")


def save(workdir, state):
    if jax.process_index() == 0:
        state = jax.device_get(jax_utils.unreplicate(state))
        checkpoints.save_checkpoint(workdir, state, int(state.step), keep=3, overwrite=True)


def main():
    args = get_args()
    state = fresh_state()
    if args.resume:
        state = checkpoints.restore_checkpoint(args.workdir, state)
    state = jax_utils.replicate(state)
    start = int(jax_utils.unreplicate(state).step)
    p_step = jax.pmap(train_step, axis_name="batch", donate_argnums=0)
    n = jax.local_device_count()
    rng = np.random.default_rng(start)
    for step in range(start, args.steps):
        x = rng.normal(size=(n, 32, 16)).astype(np.float32)
        state, loss = p_step(state, x)
        if (step + 1) % 250 == 0:
            print(step + 1, float(loss[0]))
            save(args.workdir, state)


if __name__ == "__main__":
    main()
