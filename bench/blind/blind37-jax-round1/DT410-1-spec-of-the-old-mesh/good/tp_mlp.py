import argparse
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax

from sharding import Layout, constrain


def forward(layout, params, x):
    hidden = jax.nn.gelu(x @ params["up"])
    hidden = constrain(layout, hidden, "data", "tensor")
    return x + constrain(layout, hidden @ params["down"], "data", None)


def make_step(layout, tx):
    def loss_fn(params, x):
        return jnp.mean((forward(layout, params, x) - jnp.roll(x, 1, axis=-1)) ** 2)

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(params, opt_state, x):
        loss, grads = jax.value_and_grad(loss_fn)(params, x)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return step


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model-parallel", type=int, default=2)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()

    layout = Layout.over(args.model_parallel)
    up_key, down_key = jax.random.split(jax.random.key(21))
    params = {
        "up": 0.05 * jax.random.normal(up_key, (args.width, 4 * args.width)),
        "down": 0.05 * jax.random.normal(down_key, (4 * args.width, args.width)),
    }
    params = jax.device_put(params, layout.kernels())
    tx = optax.adamw(1e-3)
    opt_state = jax.jit(tx.init)(params)
    step = make_step(layout, tx)
    draw = np.random.default_rng(0)
    for i in range(args.steps):
        x = jax.device_put(draw.normal(size=(64, args.width)).astype(np.float32), layout.batch())
        params, opt_state, loss = step(params, opt_state, x)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
