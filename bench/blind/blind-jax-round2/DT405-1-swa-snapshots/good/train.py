import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from swa import LastWeights


def predict(params, x):
    for layer in params[:-1]:
        x = jax.nn.silu(x @ layer["w"] + layer["b"])
    return (x @ params[-1]["w"] + params[-1]["b"])[..., 0]


def loss_fn(params, x, y):
    return jnp.mean((predict(params, x) - y) ** 2)


def init(key, sizes=(7, 32, 32, 1)):
    return [
        {"w": jax.random.normal(k, (i, o)) / i**0.5, "b": jnp.zeros((o,))}
        for k, i, o in zip(jax.random.split(key, len(sizes) - 1), sizes[:-1], sizes[1:])
    ]


def make_step(tx):
    @functools.partial(jax.jit, donate_argnames=("params", "opt_state"))
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return step


def main(steps=40, average_every=10):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tx = optax.adam(1e-3)
    params = jax.device_put(init(jax.random.key(0)), whole)
    opt_state = jax.device_put(tx.init(params), whole)
    step, last = make_step(tx), LastWeights(3)
    rng = np.random.default_rng(0)
    for i in range(1, steps + 1):
        x = rng.normal(size=(64, 7)).astype(np.float32)
        x, y = jax.device_put((x, x.max(-1)), rows)
        params, opt_state, loss = step(params=params, opt_state=opt_state, x=x, y=y)
        if i % average_every == 0:
            last.add(params)
    averaged = last.mean()
    print("last", float(loss), "averaged", float(loss_fn(averaged, x, y)))


if __name__ == "__main__":
    main()
