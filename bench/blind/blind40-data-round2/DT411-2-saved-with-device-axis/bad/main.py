import argparse

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

import store


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(4)(nn.relu(nn.Dense(32)(x)))


def make_step(net, tx):
    def step(params, opt_state, x, y):
        def loss_fn(p):
            return optax.softmax_cross_entropy_with_integer_labels(net.apply({"params": p}, x), y).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        loss, grads = jax.lax.pmean((loss, grads), "r")
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    return jax.pmap(step, axis_name="r")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="runs/toy")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--save-every", type=int, default=250)
    args = parser.parse_args()
    net, tx = Net(), optax.adam(1e-3)
    params = net.init(jax.random.PRNGKey(0), jnp.zeros((1, 10)))["params"]
    params = store.read_latest(args.folder, params)
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    step_fn = make_step(net, tx)
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for step in range(1, args.steps + 1):
        x = rng.normal(size=(n, 16, 10)).astype(np.float32)
        params, opt_state, loss = step_fn(params, opt_state, x, x[..., :4].argmax(-1))
        if step % args.save_every == 0 and jax.process_index() == 0:
            print(step, float(loss[0]))
            store.write(args.folder, step, jax.device_get(params))


if __name__ == "__main__":
    main()
