import argparse
import os

import numpy as np
import optax

import model


def configure(args):
    import jax

    if args.cpu:
        os.environ["JAX_PLATFORMS"] = "cpu"
    if args.double:
        os.environ["JAX_ENABLE_X64"] = "1"
    return jax.make_mesh((jax.device_count(),), ("data",))


def train(mesh, steps):
    import jax
    from jax.sharding import NamedSharding, PartitionSpec as P

    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tx = optax.adam(3e-3)
    params = jax.device_put(model.init(jax.random.key(0)), whole)
    opt_state = jax.device_put(tx.init(params), whole)

    @jax.jit
    def step(params, opt_state, x, y):
        value, grads = jax.value_and_grad(model.loss)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, value

    rng = np.random.default_rng(0)
    for i in range(steps):
        x = rng.normal(size=(256, 8))
        x, y = jax.device_put((x, np.abs(x).sum(1)), rows)
        params, opt_state, value = step(params, opt_state, x, y)
        if i % 50 == 0:
            print(i, value.dtype, float(value))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--double", action="store_true")
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args()
    train(configure(args), args.steps)


if __name__ == "__main__":
    main()
